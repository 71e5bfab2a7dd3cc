"""A function of that name that no loader gets, and one for another kind of worker."""

import multiprocessing
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.rand(1).item()


def worker_init(seed):
    random.seed(seed)


def measure(_):
    return random.random()


def main():
    with multiprocessing.Pool(2, initializer=worker_init, initargs=(3,)) as pool:
        assert len(pool.map(measure, range(4))) == 4
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
