"""Holds names as fixed-width bytes and numbers as integers in NumPy arrays."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        names = [f"image{number:06}" for number in range(20_000)]
        self.names = np.array(names, dtype="S11")
        self.offsets = np.cumsum([len(name) for name in names])

    def __len__(self):
        return 200

    def __getitem__(self, index):
        return torch.tensor(int(self.offsets[index]) + len(self.names[index]))


def main():
    loader = DataLoader(Samples(), batch_size=8, num_workers=2)
    print(sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
