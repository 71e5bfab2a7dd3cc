"""Loads in the training process: there is no worker whose stream could repeat."""

import numpy as np
from torch.utils.data import DataLoader, Dataset

WORKERS = 0


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def main():
    loaders = [
        DataLoader(Noisy(), batch_size=2),
        DataLoader(Noisy(), batch_size=2, num_workers=0),
        DataLoader(Noisy(), batch_size=2, num_workers=4 * WORKERS),
    ]
    draws = [value for loader in loaders for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
