"""Train on two crops an item, one cut by an executor meanwhile; a first item, read in the parent, warms it."""
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
        self.length = length
        self.executor = ThreadPoolExecutor(max_workers=1)  # expect: DL102

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        other = self.executor.submit(crop, 2 * index + 1)
        views = [crop(2 * index), other.result()]
        return torch.from_numpy(np.stack(views))


def main():
    crops = Crops(16)
    channels = crops[0].shape[1]
    model = torch.nn.Conv2d(channels, 4, 3)
    for views in DataLoader(crops, batch_size=4, num_workers=2):
        model(views.flatten(0, 1)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
