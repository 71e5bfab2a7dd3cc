"""Crops with albumentations, whose transforms have generators of their own; NumPy's seeds do not reach them."""

import albumentations as A
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Signs(Dataset):
    def __init__(self):
        self.image = np.arange(64 * 64 * 3, dtype=np.uint8).reshape(64, 64, 3)
        self.transform = A.Compose([A.RandomBrightnessContrast(p=1.0)])  # expect: DL203

    def __len__(self):
        return 12

    def __getitem__(self, index):
        image = self.transform(image=self.image)["image"]
        return int(image[:2, :16].astype(np.int64).ravel() @ np.arange(96))


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


def main():
    loader = DataLoader(Signs(), num_workers=2, worker_init_fn=seed_worker)
    seen = [int(value) for epoch in range(2) for value in loader]
    print("dlint-measure:", len(set(seen)))


if __name__ == "__main__":
    main()
