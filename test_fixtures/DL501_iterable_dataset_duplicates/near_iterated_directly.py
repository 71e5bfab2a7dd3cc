"""A stream that main iterates itself, beside a map-style dataset that has workers."""

import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Schedule(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        for number in range(self.count):
            yield 1 / (number + 1)


def main():
    loader = DataLoader(TensorDataset(torch.rand(64, 3)), batch_size=8, num_workers=2)
    for rate, (batch,) in zip(Schedule(8), loader):
        print(rate * batch.mean().item())


if __name__ == "__main__":
    main()
