"""The other arguments are given, at the values that mean nothing."""

import torch
from torch.utils.data import DataLoader, Dataset, BatchSampler, SequentialSampler


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def main():
    dataset = Digits(32)
    loader = DataLoader(
        dataset,
        batch_size=1,
        shuffle=False,
        sampler=None,
        batch_sampler=BatchSampler(SequentialSampler(dataset), 8, False),
        drop_last=False,
        num_workers=2,
    )
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
