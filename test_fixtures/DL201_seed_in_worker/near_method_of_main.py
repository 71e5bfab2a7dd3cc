"""A dataset method that seeds for a reproducible preview; only main calls it, workers never do."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Sprites(Dataset):
    def __init__(self):
        self.sprites = torch.arange(32.0).reshape(8, 4)

    def __len__(self):
        return len(self.sprites)

    def __getitem__(self, index):
        return self.sprites[index] + torch.rand(4)

    def preview(self, count):
        random.seed(0)
        return torch.stack([self.sprites[random.randrange(len(self))] for _ in range(count)])


def evaluate(loader):
    torch.manual_seed(0)
    return sum(batch.sum().item() for batch in loader)


def main():
    dataset = Sprites()
    assert dataset.preview(3).shape == (3, 4)
    loader = DataLoader(dataset, batch_size=2, num_workers=2)
    assert evaluate(loader) > 0


if __name__ == "__main__":
    main()
