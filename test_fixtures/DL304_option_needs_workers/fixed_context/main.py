"""A start method for workers that the configuration does not have."""

import torch
from torch import nn
from torch.utils import data

import config
from digits import Digits


def main():
    options = {"batch_size": config.BATCH_SIZE, "num_workers": config.WORKERS}
    loader = data.DataLoader(Digits(32), **options)
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
