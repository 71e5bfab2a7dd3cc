"""Train on samples that a thread class of its own reads ahead into a queue."""
import queue
import threading

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class ReadAhead(threading.Thread):
    def __init__(self, samples):
        super().__init__(daemon=True)
        self.samples = samples
        self.rng = np.random.default_rng(0)

    def run(self):
        while True:
            self.samples.put(self.rng.random(64, dtype=np.float32))


class Prefetched(Dataset):
    def __init__(self, length):
        self.length = length
        self.samples = queue.Queue(maxsize=8)
        self.reader = ReadAhead(self.samples)  # expect: DL102
        self.reader.start()

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return torch.from_numpy(self.samples.get())


def main():
    model = torch.nn.Linear(64, 2)
    for samples in DataLoader(Prefetched(32), batch_size=4, num_workers=2, multiprocessing_context="fork"):
        model(samples).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
