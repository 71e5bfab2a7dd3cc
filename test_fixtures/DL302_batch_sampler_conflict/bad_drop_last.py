"""Drops the last batch, which is the batch sampler's business."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class SizeBatches(Sampler):
    def __init__(self, length, batch_size):
        self.batches = list(torch.randperm(length).split(batch_size))

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        for batch in self.batches:
            yield batch.tolist()


def main():
    dataset = Digits(30)
    kwargs = {"num_workers": 2, "drop_last": True}
    loader = DataLoader(dataset, batch_sampler=SizeBatches(len(dataset), 8), **kwargs)  # expect: DL302
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
