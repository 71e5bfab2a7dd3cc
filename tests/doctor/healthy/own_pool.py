"""A pool that each worker makes for itself, with slow tasks."""

import time
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, Dataset


class Pooled(Dataset):
    pool = None

    def __len__(self):
        return 10_000

    def __getitem__(self, index):
        if self.pool is None:
            self.pool = ThreadPoolExecutor(2)
        return torch.tensor(list(self.pool.map(self.read, [index])))

    def read(self, index):
        time.sleep(600)
        return index


if __name__ == "__main__":
    for _ in DataLoader(Pooled(), num_workers=2):
        pass
