"""Colour augmentation with a RandomState that the constructor makes."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


def color_aug(rng, image):
    gain = rng.normal(1.0, 0.1)
    return image * gain, gain


class Scenes(Dataset):
    def __init__(self, length, split):
        super(Scenes, self).__init__()
        self.split = split
        self.images = np.ones((length, 3, 4, 4), dtype=np.float32)
        self._data_rng = None

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, gain = color_aug(self._data_rng, self.images[index])
        return image.astype(np.float32), index % 2, gain


def seed_dataset(worker_id):
    info = get_worker_info()
    info.dataset._data_rng = np.random.RandomState(info.seed % 2**32)


def main():
    loader = DataLoader(Scenes(8, "train"), batch_size=2, num_workers=2, worker_init_fn=seed_dataset)
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
