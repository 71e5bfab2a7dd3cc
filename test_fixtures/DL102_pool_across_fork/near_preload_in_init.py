"""A pool fills the dataset's memory in __init__ and is closed before any worker starts."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def read(seed):
    return np.random.default_rng(seed).random((3, 16, 16), dtype=np.float32)


class Preloaded(Dataset):
    def __init__(self, length):
        with ThreadPoolExecutor(max_workers=4) as executor:
            self.images = np.stack(list(executor.map(read, range(length))))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return torch.from_numpy(self.images[index])


def main():
    for images in DataLoader(Preloaded(32), batch_size=8, num_workers=2):
        assert images.shape == (8, 3, 16, 16)


if __name__ == "__main__":
    main()
