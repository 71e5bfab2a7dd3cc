"""In the training process the seed is the small number that main chose."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


def main():
    torch.manual_seed(7)
    np.random.seed(torch.initial_seed())
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
