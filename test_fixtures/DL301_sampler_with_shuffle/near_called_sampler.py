"""A dataset whose class is called Sampler, and another function with both keywords."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class PatchSampler(Dataset):
    def __init__(self, source):
        self.source = source

    def __len__(self):
        return len(self.source)

    def __getitem__(self, index):
        return self.source[index]


def order(length, sampler=None, shuffle=False):
    numbers = list(range(length))
    if shuffle:
        random.shuffle(numbers)
    return sampler(numbers) if sampler else numbers


def main():
    assert order(4, sampler=sorted, shuffle=True) == [0, 1, 2, 3]
    sampler = PatchSampler(Digits(32))
    loader = DataLoader(sampler, batch_size=8, shuffle=True, num_workers=2)
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
