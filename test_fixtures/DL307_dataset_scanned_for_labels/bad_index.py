"""Class counts by indexing the dataset, item by item."""

from collections import Counter

import torch
from torch import nn
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
    dataset = Images(400)
    targets = [dataset[i][1] for i in range(len(dataset))]  # expect: DL307
    counts = Counter(targets)
    weights = [1.0 / counts[target] for target in targets]
    sampler = WeightedRandomSampler(weights, num_samples=64)
    loader = DataLoader(dataset, batch_size=8, num_workers=2, sampler=sampler)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    print(f"dlint-measure: {dataset.decoded}")
    for images, labels in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
