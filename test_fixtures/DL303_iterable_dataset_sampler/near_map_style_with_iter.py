"""A map-style dataset that also has __iter__ is no IterableDataset."""

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, length):
        self.rows = torch.rand(length, 16)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index], index % 4

    def __iter__(self):
        return (self[index] for index in range(len(self)))


def main():
    loader = DataLoader(Rows(32), batch_size=8, shuffle=True, num_workers=2)
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
