"""Spawns its workers; main's torch seed reaches them, because the loader seeds each worker from it."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return torch.rand(1).item() + np.random.rand() + random.random()


def draws(loader):
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)
    return torch.cat(list(loader))


def main():
    torch.multiprocessing.set_start_method("spawn", force=True)
    torch.manual_seed(0)
    loader = DataLoader(Noise(), batch_size=6, num_workers=1)
    assert torch.equal(draws(loader), draws(loader)), "the same seed gave other draws"


if __name__ == "__main__":
    main()
