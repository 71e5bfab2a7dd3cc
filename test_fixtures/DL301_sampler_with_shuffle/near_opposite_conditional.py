"""A conditional expression takes shuffle back where there is a sampler."""

import torch
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def create(dataset, shuffle, indices=None):
    sampler = SubsetRandomSampler(indices) if indices is not None else None
    first = DataLoader(
        dataset, batch_size=8, shuffle=False if sampler else shuffle, num_workers=2, sampler=sampler
    )
    second = DataLoader(
        dataset, batch_size=8, shuffle=shuffle and sampler is None, num_workers=2, sampler=sampler
    )
    third = DataLoader(
        dataset, batch_size=8, shuffle=not sampler and shuffle, num_workers=2, sampler=sampler
    )
    return [first, second, third]


def main():
    dataset = Digits(32)
    loader = [
        batch
        for loaders in (create(dataset, True), create(dataset, True, range(8)))
        for loader in loaders
        for batch in loader
    ]
    assert sum(len(labels) for _, labels in loader) == 120


if __name__ == "__main__":
    main()
