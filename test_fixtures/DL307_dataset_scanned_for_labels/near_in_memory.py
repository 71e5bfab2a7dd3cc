"""TensorDataset and lists of pairs: nothing is decoded by looking at a label."""

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset, WeightedRandomSampler


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
    pairs = [(seed, seed % 2) for seed in range(64)]
    labels = [label for _, label in pairs]
    table = TensorDataset(torch.rand(64, 8, 8), torch.tensor(labels))
    counts = torch.bincount(table.tensors[1])
    weights = [1.0 / counts[label] for _, label in table]
    sampler = WeightedRandomSampler(weights, num_samples=16)
    for images, _ in DataLoader(table, batch_size=8, num_workers=2, sampler=sampler):
        assert images.shape == (8, 8, 8)


if __name__ == "__main__":
    main()
