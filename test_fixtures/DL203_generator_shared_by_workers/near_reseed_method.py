"""The dataset's generator is replaced by a method that the worker_init_fn calls."""

import random

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Transform:
    def __init__(self):
        self.rng = random.Random(0)

    def reseed(self, seed):
        self.rng = random.Random(seed)

    def __call__(self, value):
        return value + self.rng.random()


class Numbers(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.transform(0.0)


def seed_transform(worker_id):
    get_worker_info().dataset.transform.reseed(torch.initial_seed())


def main():
    loader = DataLoader(Numbers(Transform()), batch_size=2, num_workers=2, worker_init_fn=seed_transform)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
