"""A thread pool that each process makes for itself, also after a fork."""
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class PerProcess:
    """One executor in every process that asks."""

    def __init__(self, workers):
        self.workers = workers
        self.executor = None
        self.pid = None

    def get(self):
        if self.executor is None or self.pid != os.getpid():
            self.executor = ThreadPoolExecutor(max_workers=self.workers)
            self.pid = os.getpid()
        return self.executor

    def __reduce__(self):
        return PerProcess, (self.workers,)


def read(seed):
    return np.random.default_rng(seed).random(64, dtype=np.float32)


class Rows(Dataset):
    def __init__(self):
        self.threads = PerProcess(2)

    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.from_numpy(np.stack(list(self.threads.get().map(read, [2 * index, 2 * index + 1]))))


def main():
    rows = Rows()
    rows[0]
    for batch in DataLoader(rows, batch_size=4, num_workers=2):
        assert batch.shape == (4, 2, 64)


if __name__ == "__main__":
    main()
