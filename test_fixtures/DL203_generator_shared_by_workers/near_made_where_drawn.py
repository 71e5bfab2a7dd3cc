"""Generators that live inside the function that draws from them."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def crop(image, size):
    rng = random.Random(int(torch.randint(2**31, (1,))))
    left = rng.randint(0, image.shape[0] - size)
    return image[left : left + size]


class Crops(Dataset):
    def __init__(self):
        self.images = np.random.RandomState(0).rand(8, 100)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        rng = np.random.default_rng([index, torch.initial_seed()])
        return crop(self.images[index], 4).mean() + rng.random()


def main():
    loader = DataLoader(Crops(), batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
