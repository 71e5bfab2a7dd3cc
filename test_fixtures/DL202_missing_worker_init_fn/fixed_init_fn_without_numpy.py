"""The worker_init_fn is there, but it leaves NumPy's stream alone."""

import random

import numpy.random as npr
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Mixed(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        gain = npr.gamma(2.0)
        return torch.full((4,), random.random()), gain


def init_worker(worker_id):
    random.seed(torch.initial_seed())
    npr.seed(torch.initial_seed() % 2**32)


def main():
    loader = DataLoader(Mixed(), batch_size=2, num_workers=2, worker_init_fn=init_worker)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    gains = set()
    for epoch in range(3):
        for inputs, gain in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs).squeeze(1), gain.float()).backward()
            optimizer.step()
            gains.update(gain.tolist())
    print(f"dlint-measure: {len(gains)}")


if __name__ == "__main__":
    main()
