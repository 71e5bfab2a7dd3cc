"""Train on crops that an executor cuts; another one has read the sizes before and is done."""
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def crop(seed):
    rng = np.random.default_rng(seed)
    image = rng.random((3, 64, 64), dtype=np.float32)
    top, left = rng.integers(0, 32, 2)
    return image[:, top : top + 32, left : left + 32]


class Crops(Dataset):
    def __init__(self, length):
        seeds = range(length)
        with ThreadPoolExecutor(max_workers=2) as executor:
            self.sizes = [image.shape for image in executor.map(crop, seeds)]
        self._executor = None
        self._executor_pid = None

    @property
    def executor(self):
        if self._executor_pid != os.getpid():
            self._executor = ThreadPoolExecutor(max_workers=2)
            self._executor_pid = os.getpid()
        return self._executor

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, index):
        futures = [self.executor.submit(crop, 2 * index + view) for view in range(2)]
        return torch.from_numpy(np.stack([future.result() for future in futures]))


def main():
    crops = Crops(16)
    channels = crops.sizes[0][0]
    model = torch.nn.Conv2d(channels, 4, 3)
    for views in DataLoader(crops, batch_size=4, num_workers=2):
        model(views.flatten(0, 1)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
