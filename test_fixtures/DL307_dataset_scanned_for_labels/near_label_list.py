"""The labels are kept beside the images; no image is decoded."""

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


def main():
    dataset = Images(64)
    dataset.samples = list(zip(dataset.seeds, dataset.labels))
    labels = [label for _, label in dataset.samples]
    weights = [3.0 if label else 1.0 for label in dataset.labels]
    sampler = WeightedRandomSampler(weights, num_samples=64)
    assert len(labels) == 64 and dataset.decoded == 0
    for images, _ in DataLoader(dataset, batch_size=8, num_workers=2, sampler=sampler):
        assert images.shape == (8, 8, 8)


if __name__ == "__main__":
    main()
