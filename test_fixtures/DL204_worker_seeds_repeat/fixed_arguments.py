"""The seed comes from the command line; random is seeded with it in every worker."""

import argparse
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Perturbed(Dataset):
    def __init__(self, length):
        self.rows = torch.eye(length)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        amount = random.random()
        return self.rows[index] * amount, index % 2, amount


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--manual-seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


args = get_args()


def worker_init_fn(worker_id):
    random.seed((args.manual_seed + torch.initial_seed()) % 2**32)


def main():
    loader = DataLoader(Perturbed(8), batch_size=2, num_workers=args.workers, worker_init_fn=worker_init_fn)
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
