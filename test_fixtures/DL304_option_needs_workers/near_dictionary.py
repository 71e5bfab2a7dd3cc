"""All of it comes in one dictionary, together with the number of workers."""

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


def main(fast=True):
    kwargs = {"batch_size": 8}
    if fast:
        fast_kwargs = {"num_workers": 2, "persistent_workers": True, "prefetch_factor": 2}
        kwargs.update(fast_kwargs)
    loader = DataLoader(Digits(32), **kwargs)
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
