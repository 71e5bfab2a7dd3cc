"""A wrapper's default is no workers, but nobody asks for persistent ones then."""

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


def make_loader(dataset, batch_size=8, num_workers=0, persistent=False):
    return DataLoader(dataset, batch_size, num_workers=num_workers, persistent_workers=persistent)


def main():
    dataset = Digits(32)
    loader = [*make_loader(dataset), *make_loader(dataset, num_workers=2, persistent=True)]
    assert sum(len(labels) for _, labels in loader) == 64


if __name__ == "__main__":
    main()
