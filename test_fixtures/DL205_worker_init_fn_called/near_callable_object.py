"""An object with __call__ is made and passed."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class SeedWorker:
    def __init__(self, offset):
        self.offset = offset

    def __call__(self, worker_id):
        random.seed(torch.initial_seed() + self.offset)


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return random.random()


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=SeedWorker(1))
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
