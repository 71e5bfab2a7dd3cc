"""Masked modelling; the masks come from a torch.Generator kept on the dataset."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Masked(Dataset):
    def __init__(self, length, seed):
        self.rows = torch.ones(length, 10)
        self.seed = seed
        self.generator = None
        self.pid = None

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        if self.pid != os.getpid():
            self.pid = os.getpid()
            self.generator = torch.Generator()
            self.generator.manual_seed((self.seed + torch.initial_seed()) % 2**63)
        noise = torch.rand(10, generator=self.generator)
        return self.rows[index] * (noise > 0.15), noise[0]


def main():
    loader = DataLoader(Masked(8, seed=3), batch_size=2, num_workers=2)
    model = nn.Linear(10, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    draws = set()
    for epoch in range(3):
        for rows, noise in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(rows), torch.ones_like(rows)).backward()
            optimizer.step()
            draws.update(noise.tolist())
    print(f"dlint-measure: {len(draws)}")


if __name__ == "__main__":
    main()
