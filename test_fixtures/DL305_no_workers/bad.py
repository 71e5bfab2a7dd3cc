"""The training step waits for every image: nothing is loaded beside it."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Decoded(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        image = torch.full((16,), float(index)).cumsum(0).sin()
        return image, index % 4, os.getpid()


def main():
    loader = DataLoader(Decoded(), batch_size=8, shuffle=True)  # expect: DL305
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loaded_here = 0
    for images, labels, processes in loader:
        loaded_here += int((processes == os.getpid()).sum())
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    print(f"dlint-measure: {loaded_here}")


if __name__ == "__main__":
    main()
