"""batch_size stands first and is no conflict: the batch sampler is a wrapped attribute."""

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


class Repeat:
    def __init__(self, batch_sampler):
        self.batch_sampler = batch_sampler

    def __len__(self):
        return 2 * len(self.batch_sampler)

    def __iter__(self):
        yield from self.batch_sampler
        yield from self.batch_sampler


def main():
    loader = DataLoader(Digits(32), 8, True, num_workers=2)
    object.__setattr__(loader, "batch_sampler", Repeat(loader.batch_sampler))
    assert sum(len(labels) for _, labels in loader) == 64


if __name__ == "__main__":
    main()
