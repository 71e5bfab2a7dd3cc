"""The loader is built at module level, but only the guarded main iterates it."""

import torch
from torch.utils.data import DataLoader, TensorDataset

LOADER = DataLoader(TensorDataset(torch.rand(64, 3)), batch_size=8, num_workers=2)
print("batches an epoch:", len(LOADER))


def train_one_epoch():
    return sum(batch.sum().item() for (batch,) in LOADER)


def train(epochs):
    for epoch in range(epochs):
        print("epoch", epoch, train_one_epoch())


if __name__ == "__main__":
    train(1)
