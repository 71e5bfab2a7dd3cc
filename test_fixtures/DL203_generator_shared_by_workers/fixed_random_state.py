"""Colour augmentation with a RandomState that the constructor makes."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def color_aug(rng, image):
    gain = rng.normal(1.0, 0.1)
    return image * gain, gain


class Scenes(Dataset):
    def __init__(self, length, split):
        super(Scenes, self).__init__()
        self.split = split
        self.images = np.ones((length, 3, 4, 4), dtype=np.float32)
        self._data_rng_by_worker = {None: np.random.RandomState(123)}

    @property
    def _data_rng(self):
        # A copied generator would give all workers the same numbers.
        worker = torch.utils.data.get_worker_info()
        key = worker.seed if worker else None
        if key not in self._data_rng_by_worker:
            seed = [torch.initial_seed() % 2**32, 123]
            self._data_rng_by_worker[key] = np.random.RandomState(seed)
        return self._data_rng_by_worker[key]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, gain = color_aug(self._data_rng, self.images[index])
        return image.astype(np.float32), index % 2, gain


def main():
    loader = DataLoader(Scenes(8, "train"), batch_size=2, num_workers=2)
    model = nn.Sequential(nn.Flatten(), nn.Linear(48, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    gains = set()
    for epoch in range(3):
        for images, labels, gain in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
            gains.update(gain.tolist())
    print(f"dlint-measure: {len(gains)}")


if __name__ == "__main__":
    main()
