"""The number is the user's choice."""

import argparse

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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    loader = DataLoader(Digits(32), batch_size=8, num_workers=args.workers)
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
