"""Processes prepare the rows before the loader is made; the workers start none."""
import multiprocessing

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def compute(seed):
    return np.random.default_rng(seed).random(32, dtype=np.float32)


def main():
    with multiprocessing.Pool(2) as pool:
        rows = np.stack(pool.map(compute, range(32)))
    for (batch,) in DataLoader(TensorDataset(torch.from_numpy(rows)), batch_size=8, num_workers=2):
        assert batch.shape == (8, 32)


if __name__ == "__main__":
    main()
