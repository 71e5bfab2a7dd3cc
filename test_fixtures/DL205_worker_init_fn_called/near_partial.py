"""functools.partial(...) is a call whose result is called again, in the worker."""

import random
from functools import partial

import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return random.random()


def init_worker(worker_id, offset):
    random.seed(torch.initial_seed() + offset)


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=partial(init_worker, offset=3))
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
