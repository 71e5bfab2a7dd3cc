"""A bound method of an object made on the spot, and a conditional that gives a function or None."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Seeder:
    def __init__(self, offset):
        self.offset = offset

    def start(self, worker_id):
        random.seed(torch.initial_seed() + self.offset)


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return random.random()


def main(reproducible=True):
    loader = DataLoader(
        Noisy(),
        batch_size=2,
        num_workers=2,
        worker_init_fn=Seeder(4).start if reproducible else None,
    )
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
