"""A switch for the worker_init_fn that nobody ever turned on."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

npr = np.random


class Samples(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.draw(index)

    def draw(self, index):
        def offset():
            return npr.randn()

        value = offset()
        return torch.tensor([float(index), random.random()]), value


def make_loader(dataset, workers=2):
    init_fn = None
    settings = dict(batch_size=2, num_workers=workers)
    settings["worker_init_fn"] = init_fn
    return DataLoader(dataset, **settings)  # expect: DL202


def main():
    loader = make_loader(Samples())
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    values = set()
    for epoch in range(3):
        for inputs, value in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs).squeeze(1), value.float()).backward()
            optimizer.step()
            values.update(value.tolist())
    print(f"dlint-measure: {len(values)}")


if __name__ == "__main__":
    main()
