"""The loader class stands in a variable; worker_init_fn is given to whichever it is."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Repeating(DataLoader):
    pass


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def create(repeat, workers):
    loader = DataLoader if not repeat else Repeating
    return loader(Noisy(), batch_size=2, num_workers=min(workers, 2), worker_init_fn=seed_worker)


def main():
    draws = [value for repeat in (False, True) for batch in create(repeat, 4) for value in batch.tolist()]
    assert len(set(draws)) == 16


if __name__ == "__main__":
    main()
