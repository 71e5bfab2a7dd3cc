"""The recipe of many repositories: the first word of NumPy's state, plus the worker's number."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Perturbed(Dataset):
    def __init__(self, length):
        self.rows = torch.eye(length)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        amount = np.random.rand()
        return self.rows[index] * amount, index % 2, amount


def my_worker_init_fn(worker_id):
    np.random.seed(np.random.get_state()[1][0] + worker_id)  # expect: DL204


def main():
    loader = DataLoader(Perturbed(8), batch_size=2, num_workers=2, worker_init_fn=my_worker_init_fn)
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
    np.random.seed(2024)
    main()
