"""shuffle=(sampler is None), as the examples have it."""

import sys

import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def main(distributed="--distributed" in sys.argv):
    dataset = Digits(32)
    if distributed:
        sampler = RandomSampler(dataset)
    else:
        sampler = None
    loader = DataLoader(dataset, batch_size=8, shuffle=(sampler is None), num_workers=2, sampler=sampler)
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
