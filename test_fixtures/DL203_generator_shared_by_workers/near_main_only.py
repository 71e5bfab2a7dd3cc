"""The dataset keeps a generator that only its preview method uses, which only main calls."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Sprites(Dataset):
    def __init__(self):
        self.sprites = torch.arange(32.0).reshape(8, 4)
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return len(self.sprites)

    def __getitem__(self, index):
        return self.sprites[index]

    def preview(self, count):
        return [self[int(index)] for index in self.rng.integers(len(self), size=count)]


def main():
    dataset = Sprites()
    assert len(dataset.preview(3)) == 3
    for batch in DataLoader(dataset, batch_size=2, num_workers=2):
        assert batch.shape == (2, 4)


if __name__ == "__main__":
    main()
