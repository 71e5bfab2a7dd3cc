"""A method that gives the label alone, asked for every index."""

import torch
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Images(Dataset):
    def __init__(self, length):
        self.seeds = list(range(length))
        self.labels = [0 if seed % 4 else 1 for seed in self.seeds]
        self.decoded = 0

    def __len__(self):
        return len(self.seeds)

    def __getitem__(self, index):
        image = torch.full((8, 8), float(self.seeds[index])).cumsum(0).sin()
        self.decoded += 1
        return image, self.labels[index]


class Labelled(Images):
    def get_label(self, index):
        return self.labels[index]


def main():
    dataset = Labelled(64)
    labels = [dataset.get_label(index) for index in range(len(dataset))]
    weights = torch.tensor([1.0, 3.0])[torch.tensor(labels)]
    sampler = WeightedRandomSampler(weights, num_samples=16)
    assert dataset.decoded == 0
    for images, _ in DataLoader(dataset, batch_size=8, num_workers=2, sampler=sampler):
        assert images.shape == (8, 8, 8)


if __name__ == "__main__":
    main()
