"""Train on images that threads decode: one pool for the whole module."""
from multiprocessing.pool import ThreadPool

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

POOL = ThreadPool(2)  # expect: DL102


def decode(seed):
    return np.random.default_rng(seed).random((3, 32, 32), dtype=np.float32)


class Clips(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        frames = POOL.map(decode, [4 * index + frame for frame in range(4)])
        return torch.from_numpy(np.stack(frames))


def main():
    loader = DataLoader(Clips(), batch_size=4, num_workers=2)
    model = torch.nn.Linear(3 * 32 * 32, 2)
    for batch in loader:
        model(batch.flatten(2)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
