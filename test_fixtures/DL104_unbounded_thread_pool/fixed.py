"""Train on clips whose frames come from slow storage; threads read them, as many as Python likes."""
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

_executors = {}


def executor():
    if os.getpid() not in _executors:
        _executors[os.getpid()] = ThreadPoolExecutor(max_workers=4)
    return _executors[os.getpid()]


def read_frame(seed):
    time.sleep(0.005)  # the storage
    return np.random.default_rng(seed).random((3, 16, 16), dtype=np.float32)


class Clips(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        before = threading.active_count()
        frames = list(executor().map(read_frame, range(64 * index, 64 * index + 64)))
        return torch.from_numpy(np.stack(frames)), threading.active_count() - before


def main():
    model = torch.nn.Linear(3 * 16 * 16, 2)
    most = 0
    for clips, added in DataLoader(Clips(), batch_size=2, num_workers=2):
        model(clips.flatten(2)).mean().backward()
        most = max(most, int(added.max()))
    print("dlint-measure:", most)


if __name__ == "__main__":
    main()
