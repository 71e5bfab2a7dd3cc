"""Train on images that a pool of threads decodes: the pool is made when it is first needed."""
from multiprocessing.pool import ThreadPool

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def decode(seed):
    return np.random.default_rng(seed).random((3, 32, 32), dtype=np.float32)


class Clips(Dataset):
    def __init__(self, length):
        self.length = length
        self.pool = None

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.pool is None:
            self.pool = ThreadPool(2)  # expect: DL102
        frames = self.pool.map(decode, [4 * index + frame for frame in range(4)])
        return torch.from_numpy(np.stack(frames))


def main():
    clips = Clips(16)
    print("clips of shape", tuple(clips[0].shape))  # the parent's first touch makes the pool
    loader = DataLoader(clips, batch_size=4, num_workers=2)
    model = torch.nn.Linear(3 * 32 * 32, 2)
    for batch in loader:
        model(batch.flatten(2)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
