"""The clock in nanoseconds, plus the worker's number: other numbers in every epoch."""

import time

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def init_worker(worker_id):
    np.random.seed((time.time_ns() // 1000 + 7919 * worker_id) % 2**32)


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=init_worker)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
