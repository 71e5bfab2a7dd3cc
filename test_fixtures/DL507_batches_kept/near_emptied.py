"""Gathers some batches, and lets them go."""

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 10


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=2)
    gathered = []
    for images, labels in loader:
        gathered.append(images)
        if len(gathered) == 8:
            print("mean", torch.cat(gathered).mean().item())
            gathered.clear()


if __name__ == "__main__":
    main()
