"""Crops that must be the same for an item in every epoch, colour jitter that must not."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


def jitter(image):
    return image + np.random.uniform(-0.2, 0.2)


class FixedCrops(Dataset):
    def __init__(self, length, seed):
        self.images = np.zeros((length, 8, 8), dtype=np.float32)
        self.seed = seed

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        np.random.seed(self.seed + index)  # expect: DL201
        offset = np.random.uniform(0, 4)
        left = int(offset)
        image = self.images[index, :, left : left + 4]
        return jitter(image).astype(np.float32), index % 2


def main():
    loader = DataLoader(FixedCrops(8, seed=17), batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    model = nn.Sequential(nn.Flatten(), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    jitters = set()
    for epoch in range(3):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
            jitters.update(images[:, 0, 0].tolist())
    print(f"dlint-measure: {len(jitters)}")


if __name__ == "__main__":
    main()
