"""Loads in the main process, where nothing is sent."""

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 10


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=0)
    targets = []
    for images, labels in loader:
        targets.append(labels)
    print("labels", len(torch.cat(targets)))


if __name__ == "__main__":
    main()
