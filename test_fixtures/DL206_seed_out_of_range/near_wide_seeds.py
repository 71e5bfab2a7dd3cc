"""random, torch and NumPy's generators take any seed."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.rng.random() + random.random()


def seed_worker(worker_id):
    random.seed(torch.initial_seed())
    torch.manual_seed(torch.initial_seed() + 1)
    get_worker_info().dataset.rng = np.random.default_rng(torch.initial_seed())


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
