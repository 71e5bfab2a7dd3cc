"""Train on samples that a thread reads ahead into a queue."""
import queue
import threading

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Prefetched(IterableDataset):
    def __init__(self, length):
        self.length = length
        self.requests = queue.Queue()
        self.samples = queue.Queue(maxsize=8)
        self.reader = threading.Thread(target=self._read, daemon=True)  # expect: DL102
        self.reader.start()

    def _read(self):
        while True:
            seed = self.requests.get()
            self.samples.put(np.random.default_rng(seed).random(64, dtype=np.float32))

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for index in range(first, self.length, step):
            self.requests.put(index)
            yield torch.from_numpy(self.samples.get())


def main():
    model = torch.nn.Linear(64, 2)
    for samples in DataLoader(Prefetched(32), batch_size=4, num_workers=2, multiprocessing_context="fork"):
        model(samples).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
