"""A sampler that keeps a generator: samplers run in the training process only."""

import random

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

rng = random.Random(11)


class ClassBalanced(Sampler):
    def __init__(self, length):
        self.length = length
        self.generator = torch.Generator().manual_seed(0)

    def __len__(self):
        return self.length

    def __iter__(self):
        first = rng.randrange(self.length)
        order = torch.randperm(self.length, generator=self.generator).tolist()
        yield from [first] + order[1:]


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor(index)


def main():
    loader = DataLoader(Numbers(), batch_size=2, num_workers=2, sampler=ClassBalanced(8))
    assert sum(len(batch) for batch in loader) == 8


if __name__ == "__main__":
    main()
