"""A generator for every process id; the training process may read items too."""

import os
import random

import torch
from torch.utils.data import DataLoader, Dataset

_generators = {}


def generator():
    pid = os.getpid()
    if pid not in _generators:
        _generators[pid] = random.Random(torch.initial_seed())
    return _generators[pid]


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return generator().random()


def main():
    dataset = Noisy()
    assert 0 <= dataset[0] < 1
    loader = DataLoader(dataset, batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
