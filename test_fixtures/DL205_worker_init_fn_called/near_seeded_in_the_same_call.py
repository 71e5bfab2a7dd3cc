"""Calls stand in other arguments of the loader; the init function itself is passed."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return random.random()


def init_worker(worker_id):
    random.seed(torch.initial_seed())


def main():
    loader = DataLoader(
        Noisy(),
        batch_size=2,
        num_workers=2,
        generator=torch.Generator().manual_seed(0),
        worker_init_fn=init_worker,
    )
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
