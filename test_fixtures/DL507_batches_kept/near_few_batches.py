"""Keeps all of a small set."""

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 10


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=2)
    targets = []
    for images, labels in loader:
        targets.append(labels)
    batches = list(loader)
    print("labels", len(torch.cat(targets)), len(batches))


if __name__ == "__main__":
    main()
