"""random.SystemRandom keeps no state: it asks the operating system for every number."""

import random

from torch.utils.data import DataLoader, Dataset

_system = random.SystemRandom()


class Noisy(Dataset):
    def __init__(self):
        self.rng = random.SystemRandom()

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.rng.random() + _system.random()


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, multiprocessing_context="fork")
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
