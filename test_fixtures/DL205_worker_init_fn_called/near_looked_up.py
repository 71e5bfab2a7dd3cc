"""The function is looked up by a call: in a table, in a configuration, on a module."""

import random
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return random.random()


def reseed(worker_id):
    random.seed(torch.initial_seed())


INIT_FUNCTIONS = {"reseed": reseed}


def by_name(name):
    return getattr(sys.modules[__name__], name)


def main():
    for init_fn_name in ("reseed", "none"):
        loader = DataLoader(
            Noisy(), batch_size=2, num_workers=2, worker_init_fn=INIT_FUNCTIONS.get(init_fn_name)
        )
        assert sum(len(batch) for batch in loader) == 8
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=by_name("reseed"))
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
