"""A loader factory whose worker_init_fn is a function inside the factory."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def make_loader(points, batch_size, low_priority):
    def init_worker(worker_id):  # expect: DL401
        torch.set_num_threads(1)
        seed = torch.initial_seed() % 2**32
        random.seed(seed)
        np.random.seed(seed)
        if low_priority:
            print("worker", worker_id, "runs in the background")

    dataset = TensorDataset(points, points.sum(dim=1))
    return DataLoader(
        dataset,
        batch_size=batch_size,
        num_workers=2,
        worker_init_fn=init_worker,
    )


def main():
    loader = make_loader(torch.rand(64, 3), batch_size=8, low_priority=True)
    total = sum(target.sum().item() for _, target in loader)
    print("sum of targets", total)


if __name__ == "__main__":
    main()
