"""A seed drawn from torch within NumPy's range, and one cut to 31 bits in a helper."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def small(seed):
    return seed % 2**31


def seed_worker(worker_id):
    np.random.seed(torch.randint(0, 2**32, (1,)).item())
    np.random.seed(small(torch.initial_seed()))


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
