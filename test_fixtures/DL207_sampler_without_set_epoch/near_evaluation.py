"""Evaluation samplers keep the order: shuffle=False, and the validation sampler of a single pass."""

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


def evaluate(loader):
    return sum(int(numbers.sum()) for numbers in loader)


def main():
    val_set = Numbers(32)
    val_sampler = DistributedSampler(val_set, num_replicas=2, rank=0, shuffle=False)
    test_sampler = DistributedSampler(val_set, num_replicas=2, rank=1)
    val_loader = DataLoader(val_set, batch_size=4, num_workers=2, sampler=val_sampler)
    test_loader = DataLoader(val_set, batch_size=4, num_workers=2, sampler=test_sampler)
    for epoch in range(2):
        assert evaluate(val_loader) == sum(range(0, 32, 2))
    evaluate(test_loader)


if __name__ == "__main__":
    main()
