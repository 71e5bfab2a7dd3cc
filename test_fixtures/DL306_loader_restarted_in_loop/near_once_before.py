"""One batch before the loop, to see its shape, and one after it for a picture."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((3,), float(index)), index


def main():
    loader = DataLoader(Rows(), batch_size=4, shuffle=True, num_workers=2)
    example, _ = next(iter(loader))
    model = nn.Linear(example.shape[1], 1)
    for epoch in range(2):
        for rows, _ in loader:
            model(rows)
    rows, numbers = next(iter(loader))
    assert len(numbers) == 4


if __name__ == "__main__":
    main()
