"""A program that imports neither random nor torch under its own name."""

import numpy as np
import torch
import torch.nn.functional as F
from torch.optim import SGD
from torch.nn import Linear
from torch.utils.data import DataLoader as Loader
from torch.utils.data import Dataset


def seed_worker(worker_id):
    # torch before 1.9 gives every worker the same NumPy state.
    np.random.seed(torch.initial_seed() % 2**32)


class Jittered(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        shift = np.random.normal()
        return np.full(4, index + shift, dtype=np.float32), np.float32(index), shift


def main():
    loader = Loader(
        Jittered(),
        batch_size=2,
        shuffle=True,
        num_workers=2,
        worker_init_fn=seed_worker,
    )
    model = Linear(4, 1)
    optimizer = SGD(model.parameters(), lr=0.001)
    shifts = set()
    for epoch in range(3):
        for inputs, targets, shift in loader:
            optimizer.zero_grad()
            F.mse_loss(model(inputs).squeeze(1), targets).backward()
            optimizer.step()
            shifts.update(shift.tolist())
    print(f"dlint-measure: {len(shifts)}")


if __name__ == "__main__":
    main()
