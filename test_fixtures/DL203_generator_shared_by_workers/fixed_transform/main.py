"""A transform object with its own RandomState, handed to the dataset where it is made."""

import torch
from torch import nn
from torch.utils import data as tud

from clouds import Clouds
from steps import Compose, Center, Jitter


def main():
    train_set = Clouds(8, transform=Compose([Center(), Jitter(sigma=0.02, seed=1)]))
    loader = tud.DataLoader(train_set, batch_size=2, num_workers=2)
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    clouds = set()
    for epoch in range(3):
        for points, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(points).mean(1), labels).backward()
            optimizer.step()
            clouds.update(tuple(cloud.flatten().tolist()) for cloud in points)
    print(f"dlint-measure: {len(clouds)}")


if __name__ == "__main__":
    main()
