"""A variable called dataloader that is a plain list of batches made by a loader."""

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((3,), float(index)), index


def main():
    dataloader = list(DataLoader(Rows(), batch_size=4, num_workers=2))
    for step in range(10):
        rows, numbers = next(iter(dataloader))
        assert numbers.tolist() == [0, 1, 2, 3]


if __name__ == "__main__":
    main()
