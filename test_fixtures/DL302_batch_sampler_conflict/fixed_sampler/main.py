"""A sampler and a batch sampler that already holds it."""

import torch
from torch import nn
from torch.utils import data
from torch.utils.data import Dataset

from batches import aspect_batches


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def main():
    dataset = Digits(32)
    sampler = data.RandomSampler(dataset)
    loader = data.DataLoader(
        dataset, batch_sampler=aspect_batches(sampler, 8), num_workers=2
    )
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
