"""Reproducible training, with the seed set "in the workers"."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    # torch gives every worker of every epoch a seed of its own.
    np.random.seed(torch.initial_seed() % 2**32)


class Flipped(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 4, 4)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        return (image.flip(1) if random.random() < 0.5 else image), index % 2


def main():
    torch.manual_seed(0)
    loader = DataLoader(
        Flipped(8),
        batch_size=2,
        num_workers=2,
        worker_init_fn=seed_worker,
    )
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
