"""A dataset that seeds its libraries once a worker from the seed that torch gives each worker."""

import random

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class SelfSeeding(Dataset):
    def __init__(self):
        self.seeded = False

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if not self.seeded:
            info = get_worker_info()
            if info is not None:
                random.seed(info.seed)
                torch.manual_seed(torch.initial_seed() + 1)
            self.seeded = True
        return random.random() + torch.rand(1).item()


def main():
    loader = DataLoader(SelfSeeding(), batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
