"""A pool without a size in the main process, where there is only one of it."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def read(seed):
    return np.random.default_rng(seed).random(32, dtype=np.float32)


def main():
    with ThreadPoolExecutor() as executor:
        rows = np.stack(list(executor.map(read, range(64))))
    for (batch,) in DataLoader(TensorDataset(torch.from_numpy(rows)), batch_size=8, num_workers=2):
        assert batch.shape == (8, 32)


if __name__ == "__main__":
    main()
