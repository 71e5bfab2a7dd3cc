"""Worker code draws from torch and from random; torch seeds both in every worker, in any release."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Mixed(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return random.random() + torch.rand(1).item()


def main():
    loader = DataLoader(Mixed(), batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
