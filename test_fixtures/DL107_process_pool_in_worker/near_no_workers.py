"""A pool of processes for every batch is allowed where the data is loaded in the main process."""
import multiprocessing

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset


def compute(seed):
    return np.random.default_rng(seed).random(32, dtype=np.float32)


class Rows(IterableDataset):
    def __iter__(self):
        with multiprocessing.Pool(2) as pool:
            for row in pool.imap(compute, range(32)):
                yield torch.from_numpy(row)


def main():
    batches = list(DataLoader(Rows(), batch_size=8, num_workers=0))
    assert len(batches) == 4


if __name__ == "__main__":
    main()
