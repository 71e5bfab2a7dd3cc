"""Keeps the first batches to show them, and every hundredth."""

from itertools import islice

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 10


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=2)
    shown, now_and_then, first = [], [], []
    for step, (images, labels) in enumerate(loader):
        if step < 8:
            shown.append(images)
        if step % 100 == 0:
            now_and_then.append(labels)
    for images, labels in loader:
        first.append(labels)
        if len(first) == 8:
            break
    some = list(islice(loader, 8))
    print("batches", len(shown), len(now_and_then), len(first), len(some))


if __name__ == "__main__":
    main()
