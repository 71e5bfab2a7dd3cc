"""Train on samples that a thread reads ahead; every process that reads starts its own."""
import os
import queue
import threading

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class ReadAhead(threading.Thread):
    def __init__(self, samples, seed):
        super().__init__(daemon=True)
        self.samples = samples
        self.rng = np.random.default_rng(seed)

    def run(self):
        while True:
            self.samples.put(self.rng.random(64, dtype=np.float32))


class Prefetched(Dataset):
    def __init__(self, length):
        self.length = length
        self._reader = None
        self._reader_pid = None

    @property
    def reader(self):
        if self._reader_pid != os.getpid():
            self._reader = ReadAhead(queue.Queue(maxsize=8), seed=torch.initial_seed())
            self._reader.start()
            self._reader_pid = os.getpid()
        return self._reader

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return torch.from_numpy(self.reader.samples.get())


def main():
    model = torch.nn.Linear(64, 2)
    for samples in DataLoader(Prefetched(32), batch_size=4, num_workers=2, multiprocessing_context="fork"):
        model(samples).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
