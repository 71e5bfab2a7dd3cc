"""Reseeding from the operating system's entropy: needless, but every draw is new."""

import os
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Entropy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        random.seed()
        first = random.random()
        random.seed(int.from_bytes(os.urandom(8), "little"))
        return first + random.random()


def main():
    torch.manual_seed(0)
    loader = DataLoader(Entropy(), batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
