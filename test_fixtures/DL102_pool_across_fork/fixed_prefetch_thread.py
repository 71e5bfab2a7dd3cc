"""Train on samples that a thread reads ahead into a queue."""
import queue
import threading

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Prefetched(IterableDataset):
    def __init__(self, length):
        self.length = length

    @staticmethod
    def _read(requests, samples):
        while (seed := requests.get()) is not None:
            samples.put(np.random.default_rng(seed).random(64, dtype=np.float32))

    def __iter__(self):
        info = get_worker_info()
        # The process that reads has its own thread and queues; nothing of them crosses a fork.
        requests, samples = queue.Queue(), queue.Queue(maxsize=8)
        reader = threading.Thread(target=self._read, args=(requests, samples), daemon=True)
        reader.start()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for index in range(first, self.length, step):
            requests.put(index)
            yield torch.from_numpy(samples.get())
        requests.put(None)
        reader.join()


def main():
    model = torch.nn.Linear(64, 2)
    for samples in DataLoader(Prefetched(32), batch_size=4, num_workers=2, multiprocessing_context="fork"):
        model(samples).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
