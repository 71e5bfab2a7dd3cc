"""The options are given only where there are workers."""

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


def make_loader(dataset, workers):
    return DataLoader(
        dataset,
        batch_size=8,
        num_workers=workers,
        persistent_workers=workers > 0,
        prefetch_factor=4 if workers else None,
        multiprocessing_context="fork" if workers > 0 else None,
        timeout=30 if workers else 0,
    )


def main():
    dataset = Digits(32)
    loader = [*make_loader(dataset, 0), *make_loader(dataset, 2)]
    assert sum(len(labels) for _, labels in loader) == 64


if __name__ == "__main__":
    main()
