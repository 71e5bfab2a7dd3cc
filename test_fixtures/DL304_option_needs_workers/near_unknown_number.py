"""The number of workers is decided at run time."""

import os

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
    workers = int(os.environ.get("LOADER_WORKERS", 2))
    loader = DataLoader(Digits(32), batch_size=8, num_workers=workers, persistent_workers=True)
    other = DataLoader(
        Digits(32), batch_size=8, num_workers=min(2, os.cpu_count() or 1), prefetch_factor=2
    )
    assert len(other) == 4
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
