"""Train on rows; every item is computed by a pool of processes."""
import multiprocessing

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def compute(seed):
    return np.random.default_rng(seed).random(32, dtype=np.float32)


class Rows(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        with multiprocessing.Pool(2) as pool:  # expect: DL107
            parts = pool.map(compute, [2 * index, 2 * index + 1])
        return torch.from_numpy(np.concatenate(parts))


def main():
    model = torch.nn.Linear(64, 2)
    for rows in DataLoader(Rows(), batch_size=4, num_workers=2):
        model(rows).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
