"""A lock that nobody holds when the workers start is copied free."""
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Counted(Dataset):
    def __init__(self):
        self.lock = threading.Lock()
        self.reads = 0

    def __len__(self):
        return 32

    def __getitem__(self, index):
        with self.lock:
            self.reads += 1
        return torch.tensor([float(index), float(self.reads)])


def main():
    counted = Counted()
    counted[0]
    for batch in DataLoader(counted, batch_size=8, num_workers=2, multiprocessing_context="fork"):
        assert batch.shape == (8, 2)


if __name__ == "__main__":
    main()
