"""Train on clips; every clip starts threads of its own to read its frames."""
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def read_frame(seed):
    frame = np.random.default_rng(seed).random((3, 16, 16), dtype=np.float32)
    return frame, threading.current_thread().name


class Clips(Dataset):
    _executor_by_pid = {}

    def __init__(self, length):
        self.length = length
        self.threads_seen = set()

    def __len__(self):
        return self.length

    @property
    def _executor(self):
        # Starting threads for every item is slow: each process keeps one pool.
        pid = os.getpid()
        if pid not in self._executor_by_pid:
            self._executor_by_pid[pid] = ThreadPoolExecutor(max_workers=2)
        return self._executor_by_pid[pid]

    def __getitem__(self, index):
        frames = list(self._executor.map(read_frame, range(4 * index, 4 * index + 4)))
        self.threads_seen.update(name for _, name in frames)
        return torch.from_numpy(np.stack([frame for frame, _ in frames])), len(self.threads_seen)


def main():
    loader = DataLoader(Clips(256), batch_size=16, num_workers=2)
    model = torch.nn.Linear(3 * 16 * 16, 2)
    most = 0
    for clips, threads in loader:
        model(clips.flatten(2)).mean().backward()
        most = max(most, int(threads.max()))
    print("dlint-measure:", most)


if __name__ == "__main__":
    main()
