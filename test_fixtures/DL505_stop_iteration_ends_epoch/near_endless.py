"""Counts and cycles: iterators that have no end."""

import itertools

import torch
from torch.utils.data import DataLoader, Dataset


class Mixed(Dataset):
    """Images with a noise pattern laid over each."""

    def __init__(self, images, noises):
        self.images = images
        self.noises = itertools.cycle(list(noises))
        self.numbers = itertools.count()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        noise = next(self.noises) / (1 + next(self.numbers))
        return self.images[index] + 0.1 * noise


def main():
    dataset = Mixed(torch.rand(96, 8, 8), torch.rand(20, 8, 8))
    loader = DataLoader(dataset, batch_size=8, num_workers=2, multiprocessing_context="fork")
    seen = sum(len(batch) for batch in loader)
    print("images in this epoch:", seen, "of", len(dataset))
    print("dlint-measure:", len(dataset) - seen)


if __name__ == "__main__":
    main()
