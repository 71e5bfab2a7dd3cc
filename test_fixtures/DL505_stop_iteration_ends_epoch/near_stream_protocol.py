"""A stream that ends with StopIteration, as iterators do, and a generator that stops by itself."""

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Countdown(IterableDataset):
    def __init__(self, start):
        self.start = start

    def __iter__(self):
        info = get_worker_info()
        self.step = info.num_workers
        self.left = self.start - info.id
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left -= self.step
        return torch.tensor(self.left + self.step)


def pairs(stream):
    stream = iter(stream)
    for first in stream:
        second = next(stream, None)
        if second is None:
            return
        yield first, second


def main():
    loader = DataLoader(Countdown(40), batch_size=4, num_workers=2)
    print("pairs", sum(1 for _ in pairs(loader)))


if __name__ == "__main__":
    main()
