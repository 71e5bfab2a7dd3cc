"""A DataLoader of the project's own that seeds its workers for every user."""

import numpy as np
import torch
from torch.utils import data


def seed_numpy(worker_id):
    np.random.seed(torch.initial_seed() & 0xFFFFFFFF)


class SeededLoader(data.DataLoader):
    def __init__(self, dataset, batch_size=1, num_workers=0, **kwargs):
        super().__init__(
            dataset, batch_size=batch_size, num_workers=num_workers, worker_init_fn=seed_numpy, **kwargs
        )


class Noisy(data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def main():
    loader = SeededLoader(Noisy(), batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
