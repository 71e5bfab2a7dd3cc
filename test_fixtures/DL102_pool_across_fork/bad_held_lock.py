"""Train on a cache that a thread of the parent refreshes under a lock."""
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self, length):
        self.length = length
        self.lock = threading.Lock()  # expect: DL102
        self.cache = {}

    def __len__(self):
        return self.length

    def refresh(self):
        for round_ in range(3):
            with self.lock:  # slow: it reads the whole table again
                self.cache = {index: torch.full((64,), float(index + round_)) for index in range(self.length)}
                time.sleep(0.5)

    def __getitem__(self, index):
        with self.lock:
            return self.cache.get(index, torch.zeros(64))


def main():
    dataset = Cached(32)
    refresher = threading.Thread(target=dataset.refresh, daemon=True)
    refresher.start()
    time.sleep(0.2)
    model = torch.nn.Linear(64, 2)
    for samples in DataLoader(dataset, batch_size=4, num_workers=2, multiprocessing_context="fork"):
        model(samples).mean().backward()
    refresher.join()
    print("trained")


if __name__ == "__main__":
    main()
