"""Train on images that a pool of threads decodes: the pool is made once, with the dataset."""
import os
from multiprocessing.pool import ThreadPool

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def decode(seed):
    return np.random.default_rng(seed).random((3, 32, 32), dtype=np.float32)


class Clips(Dataset):
    def __init__(self, length):
        self.length = length
        self._pool_by_pid = {}

    @property
    def pool(self):
        # A pool's threads do not survive a fork, so each process has its own.
        pid = os.getpid()
        if pid not in self._pool_by_pid:
            self._pool_by_pid[pid] = ThreadPool(2)
        return self._pool_by_pid[pid]

    def __getstate__(self):
        return {**self.__dict__, "_pool_by_pid": {}}

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        frames = self.pool.map(decode, [4 * index + frame for frame in range(4)])
        return torch.from_numpy(np.stack(frames))


def main():
    loader = DataLoader(Clips(16), batch_size=4, num_workers=2)
    model = torch.nn.Linear(3 * 32 * 32, 2)
    for clips in loader:
        model(clips.flatten(2)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
