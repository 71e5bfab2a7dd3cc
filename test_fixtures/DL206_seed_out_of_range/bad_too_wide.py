"""The modulus is there, but it is one of 64 bits."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, length):
        self.targets = torch.arange(length, dtype=torch.float32)

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        noise = np.random.normal(size=4).astype(np.float32)
        return self.targets[index] + noise, self.targets[index]


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**64)  # expect: DL206


def main():
    torch.manual_seed(0)
    loader = DataLoader(Noisy(8), batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for epoch in range(2):
        for inputs, targets in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs).squeeze(1), targets).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
