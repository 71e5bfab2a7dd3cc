"""The loop over the loader is in a function, but the script's body calls it."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=2)
args = parser.parse_args()


def train(epochs):
    for epoch in range(epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
        print("epoch", epoch, "loss", loss.item())


if __name__ == "__main__":
    points = torch.rand(96, 2)
    loader = DataLoader(TensorDataset(points, points.sum(1, keepdim=True)), batch_size=16, num_workers=args.workers)
    model = nn.Linear(2, 1)

    train(epochs=2)
