"""Workers, except when debugging."""

import sys

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


def make_loader(dataset, debug=False, **kwargs):
    return DataLoader(dataset, batch_size=8, num_workers=0 if debug else 2, **kwargs)


def main():
    loader = make_loader(Digits(32), debug="--debug" in sys.argv, shuffle=True)
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
