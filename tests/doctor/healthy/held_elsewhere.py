"""Workers share a lock, and one of them is long inside it."""

import multiprocessing
import time

import torch
from torch.utils.data import DataLoader, Dataset

LOCK = multiprocessing.Lock()


class Shared(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, index):
        with LOCK:
            time.sleep(600)
        return torch.tensor(index)


if __name__ == "__main__":
    for _ in DataLoader(Shared(), num_workers=2):
        pass
