"""Without workers the options may be given at the values that mean nothing."""

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
    loader = DataLoader(
        Digits(32),
        batch_size=8,
        num_workers=0,
        persistent_workers=False,
        prefetch_factor=None,
        multiprocessing_context=None,
        timeout=0,
    )
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
