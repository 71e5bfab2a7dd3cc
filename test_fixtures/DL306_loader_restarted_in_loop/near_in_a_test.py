"""Tests that read one batch."""

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((3,), float(index)), index


def make_loader(batch_size):
    return DataLoader(Rows(), batch_size=batch_size, num_workers=2)


def test_batch_shapes():
    for batch_size in (1, 4):
        rows, numbers = next(iter(make_loader(batch_size)))
        assert rows.shape == (batch_size, 3)


def main():
    test_batch_shapes()


if __name__ == "__main__":
    main()
