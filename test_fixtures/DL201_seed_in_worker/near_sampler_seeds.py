"""A sampler that reseeds for every epoch: samplers run in the training process, not in the workers."""

import random

import torch
from torch.utils.data import DataLoader, Dataset, Sampler


class EpochShuffle(Sampler):
    def __init__(self, length, seed):
        self.length = length
        self.seed = seed
        self.epoch = 0

    def __len__(self):
        return self.length

    def __iter__(self):
        random.seed(self.seed + self.epoch)
        self.epoch += 1
        order = list(range(self.length))
        random.shuffle(order)
        return iter(order)


class Numbers(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.tensor(index)


def main():
    loader = DataLoader(Numbers(), batch_size=4, num_workers=2, sampler=EpochShuffle(16, seed=1))
    orders = [torch.cat(list(loader)).tolist() for _ in range(3)]
    assert sorted(orders[0]) == list(range(16)) and orders[0] != orders[1]


if __name__ == "__main__":
    main()
