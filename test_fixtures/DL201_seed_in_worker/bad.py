"""Train a regressor on signals with fresh measurement noise for every sample."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


class NoisySignals(Dataset):
    def __init__(self, length):
        self.signals = torch.linspace(0, 1, length)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        np.random.seed(0)  # expect: DL201
        noise = np.random.normal()
        signal = self.signals[index]
        return signal + 0.1 * noise, signal, noise


def main():
    loader = DataLoader(NoisySignals(8), batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    draws = []
    for epoch in range(3):
        for noisy, clean, noise in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(noisy.float().unsqueeze(1)), clean.unsqueeze(1))
            loss.backward()
            optimizer.step()
            draws += noise.tolist()
    print(f"dlint-measure: {len(set(draws))}")


if __name__ == "__main__":
    main()
