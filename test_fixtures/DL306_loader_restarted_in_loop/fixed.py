"""Training by steps instead of epochs: every step takes a batch from the loader."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Traced(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], index % 4, os.getpid()


def main():
    loader = DataLoader(Traced(64), batch_size=4, shuffle=True, num_workers=2)
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    processes = set()
    batches = iter(loader)
    for step in range(10):
        try:
            images, labels, workers = next(batches)
        except StopIteration:
            batches = iter(loader)
            images, labels, workers = next(batches)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
        processes.update(workers.tolist())
    print(f"dlint-measure: {len(processes)}")


if __name__ == "__main__":
    main()
