"""Train a small classifier on images that are flipped, shifted and scaled at random."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    # torch before 1.9 gives every worker the same NumPy state.
    np.random.seed(torch.initial_seed() % 2**32)


class Augmented(Dataset):
    def __init__(self, length):
        self.images = np.ones((length, 8, 8), dtype=np.float32)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        if random.random() < 0.5:
            image = image[:, ::-1].copy()
        scale = np.random.uniform(0.8, 1.2)
        return torch.from_numpy(image) * scale, index % 2, scale


def main():
    loader = DataLoader(Augmented(8), batch_size=2, num_workers=2,
                        worker_init_fn=seed_worker)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scales = []
    for epoch in range(3):
        for images, labels, scale in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images.float()), labels).backward()
            optimizer.step()
            scales += scale.tolist()
    print(f"dlint-measure: {len(set(scales))}")


if __name__ == "__main__":
    main()
