"""Draws crops at random for ever: each worker draws others, so there is nothing to divide."""

import itertools

import torch
from torch.utils.data import DataLoader, IterableDataset


class RandomCrops(IterableDataset):
    def __init__(self, image, size):
        self.image = image
        self.size = size

    def __iter__(self):
        while True:
            top, left = torch.randint(self.image.shape[0] - self.size, (2,)).tolist()
            yield self.image[top : top + self.size, left : left + self.size]


def main():
    loader = DataLoader(RandomCrops(torch.rand(512, 512), 4), batch_size=8, num_workers=2)
    crops = torch.cat(list(itertools.islice(loader, 10)))
    assert len(crops.flatten(1).unique(dim=0)) > 70


if __name__ == "__main__":
    main()
