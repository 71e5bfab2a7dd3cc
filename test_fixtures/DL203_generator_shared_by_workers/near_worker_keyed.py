"""A generator of the module for every worker, by its seed, and one for all that is no worker."""

import random

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

_generators = {None: random.Random(0)}


def generator():
    worker = get_worker_info()
    key = worker.seed if worker else None
    if key not in _generators:
        _generators[key] = random.Random(torch.initial_seed())
    return _generators[key]


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
