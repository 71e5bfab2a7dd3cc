"""random.seed(...) gives None, so the loader has no worker_init_fn: the runs are not reproducible."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Shifted(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        shift = random.random()
        return torch.full((4,), index + shift), shift


def train(seed):
    loader = DataLoader(Shifted(), batch_size=2, num_workers=2, worker_init_fn=random.seed(seed))  # expect: DL205
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    shifts = []
    for inputs, shift in loader:
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
        shifts += shift.tolist()
    return tuple(shifts)


def main():
    runs = {train(seed=0) for _ in range(3)}
    print(f"dlint-measure: {len(runs)}")


if __name__ == "__main__":
    main()
