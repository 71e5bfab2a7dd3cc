"""A factory is called; what it gives is the function."""

import functools
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return random.random()


def seed_with(offset, worker_id):
    random.seed(torch.initial_seed() + offset)


def make_init_fn(offset):
    if offset is None:
        return None
    return functools.partial(seed_with, offset)


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=make_init_fn(5))
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
