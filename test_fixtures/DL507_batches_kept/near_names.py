"""Keeps the names of the files, which are texts."""

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return torch.full((16,), float(index)), f"{index}.png"


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=2)
    names = []
    for images, files in loader:
        names.append(files)
        names.extend(files)
    print("names", len(names))


if __name__ == "__main__":
    main()
