"""Train on images that threads decode: one pool for the whole module."""
import os
from multiprocessing.pool import ThreadPool

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

_pool_by_pid = {}


def pool():
    # A pool's threads do not survive a fork, so each process has its own.
    pid = os.getpid()
    if pid not in _pool_by_pid:
        _pool_by_pid[pid] = ThreadPool(2)
    return _pool_by_pid[pid]


def decode(seed):
    return np.random.default_rng(seed).random((3, 32, 32), dtype=np.float32)


class Clips(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        frames = pool().map(decode, [4 * index + frame for frame in range(4)])
        return torch.from_numpy(np.stack(frames))


def main():
    loader = DataLoader(Clips(), batch_size=4, num_workers=2)
    model = torch.nn.Linear(3 * 32 * 32, 2)
    for batch in loader:
        model(batch.flatten(2)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
