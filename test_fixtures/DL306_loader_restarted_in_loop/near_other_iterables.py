"""next(iter(...)) of things that are no loaders, in a loop."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((3,), float(index)), index


def main():
    model = nn.Linear(3, 1)
    loader = DataLoader(Rows(), batch_size=4, num_workers=2)
    tables = {"a": 1, "b": 2}
    for rows, numbers in loader:
        device = next(iter(model.parameters())).device
        first = next(iter(tables))
        row = next(iter(rows))
        assert row.to(device).shape == (3,) and first == "a"


if __name__ == "__main__":
    main()
