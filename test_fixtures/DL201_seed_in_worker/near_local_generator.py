"""Per-item determinism with generators that are made, seeded and dropped inside the item."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Deterministic(Dataset):
    def __init__(self, seed):
        self.seed = seed

    def __len__(self):
        return 8

    def __getitem__(self, index):
        rng = np.random.default_rng([self.seed, index])
        old = np.random.RandomState(self.seed + index)
        python = random.Random(index)
        python.seed(self.seed)
        generator = torch.Generator()
        generator.manual_seed(self.seed + index)
        noise = torch.randn(2, generator=generator)
        return noise + rng.normal() + old.rand() + python.random()


def main():
    loader = DataLoader(Deterministic(3), batch_size=2, num_workers=2)
    first, second = list(loader), list(loader)
    assert all(torch.equal(a, b) for a, b in zip(first, second))


if __name__ == "__main__":
    main()
