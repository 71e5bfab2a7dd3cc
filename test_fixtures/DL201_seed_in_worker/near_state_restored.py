"""The well-known context manager that seeds NumPy for a block and then puts the old state back."""

import contextlib
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


@contextlib.contextmanager
def numpy_seed(seed, index):
    state = np.random.get_state()
    np.random.seed((seed * 1000003 + index) % 2**32)
    try:
        yield
    finally:
        np.random.set_state(state)


class MaskedTokens(Dataset):
    def __init__(self, seed):
        self.tokens = np.ones((8, 12), dtype=np.int64)
        self.seed = seed

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        with numpy_seed(self.seed, index):
            mask = np.random.rand(12) < 0.15
        return torch.from_numpy(np.where(mask, 0, self.tokens[index])), np.random.rand()


def main():
    loader = DataLoader(MaskedTokens(7), batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    free = [value for _ in range(2) for _, values in loader for value in values.tolist()]
    assert len(set(free)) == 16


if __name__ == "__main__":
    main()
