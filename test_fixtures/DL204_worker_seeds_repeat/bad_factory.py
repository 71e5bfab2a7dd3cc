"""A factory gives the worker_init_fn for a seed."""

import functools
import random

import numpy.random as npr
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Perturbed(Dataset):
    def __init__(self, length):
        self.rows = torch.eye(length)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        amount = npr.rand()
        return self.rows[index] * amount, index % 2, amount


def seed_all(base, worker_id):
    npr.seed(base + worker_id)  # expect: DL204
    random.seed(base)


def make_init_fn(base):
    return functools.partial(seed_all, base)


def main():
    loader = DataLoader(Perturbed(8), batch_size=2, num_workers=2, worker_init_fn=make_init_fn(base=99))
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    amounts = set()
    for epoch in range(3):
        for rows, labels, amount in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(rows.float()), labels).backward()
            optimizer.step()
            amounts.update(amount.tolist())
    print(f"dlint-measure: {len(amounts)}")


if __name__ == "__main__":
    main()
