"""A sampler of the project's own that counts the epochs itself."""

import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Numbers(Dataset):
    def __init__(self, length):
        self.numbers = torch.arange(length)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        return self.numbers[index]


class CountingSampler(DistributedSampler):
    def __iter__(self):
        self.epoch += 1
        return super().__iter__()


def main():
    dataset = Numbers(32)
    sampler = CountingSampler(dataset, num_replicas=2, rank=0)
    loader = DataLoader(dataset, batch_size=4, num_workers=2, sampler=sampler)
    assert len({tuple(n for numbers in loader for n in numbers.tolist()) for _ in range(3)}) == 3


if __name__ == "__main__":
    main()
