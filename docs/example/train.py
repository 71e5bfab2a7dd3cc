"""Trains on photos of a shop's products."""

import torch
from torch.utils.data import DataLoader, WeightedRandomSampler

from shop.photos import Photos


def make_loader(photos: Photos, workers: int = 4) -> DataLoader:
    sampler = WeightedRandomSampler(photos.weights, len(photos))
    return DataLoader(photos, 32, shuffle=True, sampler=sampler, num_workers=workers)


def main() -> None:
    loader = make_loader(Photos("photos"))
    model = torch.nn.Linear(3 * 64 * 64, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for images, labels in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images.flatten(1)), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
