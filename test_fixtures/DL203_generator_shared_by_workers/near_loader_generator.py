"""Generators for what the training process does: the split, the shuffle, the sampler's weights."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler, random_split


class Squares(Dataset):
    def __init__(self, length, seed=0):
        self.rng = np.random.RandomState(seed)
        self.order = self.rng.permutation(length)

    def __len__(self):
        return len(self.order)

    def __getitem__(self, index):
        return int(self.order[index]) ** 2


def main():
    generator = torch.Generator()
    generator.manual_seed(6148914691236517205)
    train_set, val_set = random_split(Squares(16), [8, 8], generator=generator)
    train = DataLoader(train_set, batch_size=2, shuffle=True, num_workers=2, generator=generator)
    sampler = WeightedRandomSampler(torch.ones(8), 8, generator=generator)
    val = DataLoader(val_set, batch_size=2, num_workers=2, sampler=sampler)
    assert sum(len(batch) for loader in (train, val) for batch in loader) == 16


if __name__ == "__main__":
    main()
