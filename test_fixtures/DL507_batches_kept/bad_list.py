"""Reads the whole loader into a list, to shuffle it by hand."""

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 10


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=2)
    batches = list(loader)  # expect: DL507
    print("batches", len(batches))


if __name__ == "__main__":
    main()
