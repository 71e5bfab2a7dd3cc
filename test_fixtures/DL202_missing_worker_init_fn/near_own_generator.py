"""Worker code makes its generator from the worker's seed; NumPy's global stream is not touched."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        rng = np.random.default_rng(int(torch.randint(2**62, (1,))))
        return rng.normal()


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
