"""The weights are worked out in a helper that walks through the whole dataset."""

import torch
from torch import nn
from torch.utils.data import DataLoader, WeightedRandomSampler

from balance import balanced_weights
from images import Images


def main():
    dataset = Images(400)
    sampler = WeightedRandomSampler(balanced_weights(dataset, classes=2), num_samples=64)
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
