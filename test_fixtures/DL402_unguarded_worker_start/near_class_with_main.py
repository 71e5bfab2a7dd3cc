"""A trainer class: the script body makes nothing, the guard calls it."""

import torch
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    batch_size = 8

    def __init__(self, rows):
        self.loader = DataLoader(TensorDataset(torch.rand(rows, 3)), batch_size=self.batch_size, num_workers=2)

    def fit(self):
        for (batch,) in self.loader:
            self.step(batch)

    def step(self, batch):
        print(batch.mean().item())


def run():
    Trainer(64).fit()


if __name__ == "__main__":
    run()
