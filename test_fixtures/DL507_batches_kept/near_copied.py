"""Keeps copies, in a list that other functions fill, too."""

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 10


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=2)
    kept = []
    for images, labels in loader:
        batch = images.clone(), labels.clone()
        kept.append(batch)
        kept.append(images[labels > 4])
        kept.append(torch.stack([images, images]))
    print("kept", len(kept))


if __name__ == "__main__":
    main()
