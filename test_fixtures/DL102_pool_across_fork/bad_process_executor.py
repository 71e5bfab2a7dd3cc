"""Train on rows that an executor of processes computes; the first row is looked at in the parent."""
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def compute(seed):
    return np.random.default_rng(seed).random(64, dtype=np.float32)


class Rows(Dataset):
    def __init__(self, length):
        self.length = length
        self.executor = ProcessPoolExecutor(max_workers=2)  # expect: DL102

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return torch.from_numpy(np.stack(list(self.executor.map(compute, [2 * index, 2 * index + 1]))))


def main():
    rows = Rows(16)
    model = torch.nn.Linear(rows[0].shape[-1], 2)
    for batch in DataLoader(rows, batch_size=4, num_workers=2):
        model(batch).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
