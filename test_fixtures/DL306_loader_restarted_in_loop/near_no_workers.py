"""Without workers a new iterator starts nothing; each step draws a random batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((3,), float(index)), index


def main():
    loader = DataLoader(Rows(), batch_size=4, shuffle=True, num_workers=0)
    model = nn.Linear(3, 1)
    for step in range(10):
        rows, _ = next(iter(loader))
        assert model(rows).shape == (4, 1)


if __name__ == "__main__":
    main()
