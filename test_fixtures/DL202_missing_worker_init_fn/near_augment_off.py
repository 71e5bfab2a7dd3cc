"""Validation data: the augmentation that draws from NumPy is switched off."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self, length, augment=False):
        self.points = np.zeros((length, 5, 3), dtype=np.float32)
        self.augment = augment

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        points = self.points[index]
        if self.augment:
            points = points + np.random.normal(0, 0.01, points.shape).astype(np.float32)
        return torch.from_numpy(points)


def main():
    val_set = Scans(8, augment=False)
    for batch in DataLoader(val_set, batch_size=2, shuffle=False, num_workers=2):
        assert batch.abs().sum() == 0


if __name__ == "__main__":
    main()
