"""Keeps a row of every batch beside its label."""

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 10


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=2)
    rows = []
    for step, batch in enumerate(loader):
        images, labels = batch
        rows += [(images[0], labels[0])]  # expect: DL507
    print("rows", len(rows))


if __name__ == "__main__":
    main()
