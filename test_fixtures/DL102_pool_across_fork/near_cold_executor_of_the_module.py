"""Train on crops that an executor of the module cuts; the parent gives it no work, so no thread runs yet."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def crop(seed):
    rng = np.random.default_rng(seed)
    image = rng.random((3, 64, 64), dtype=np.float32)
    top, left = rng.integers(0, 32, 2)
    return image[:, top : top + 32, left : left + 32]


EXECUTOR = ThreadPoolExecutor(max_workers=2)


class Crops(Dataset):
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        futures = [EXECUTOR.submit(crop, 2 * index + view) for view in range(2)]
        return torch.from_numpy(np.stack([future.result() for future in futures]))


def main():
    crops = Crops(16)
    model = torch.nn.Conv2d(3, 4, 3)
    for views in DataLoader(crops, batch_size=4, num_workers=2):
        model(views.flatten(0, 1)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
