"""The stream shuffles through a buffer; shuffle is its own argument, not the loader's."""

import random

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for number in range(first, len(self.images), step):
            yield self.images[number], number % 4


class ShuffleBuffer(IterableDataset):
    def __init__(self, source, size, shuffle=True):
        self.source, self.size, self.shuffle = source, size, shuffle

    def __iter__(self):
        buffer = []
        for item in self.source:
            buffer.append(item)
            if len(buffer) >= self.size:
                yield buffer.pop(random.randrange(len(buffer)) if self.shuffle else 0)
        random.shuffle(buffer)
        yield from buffer


def main():
    loader = DataLoader(ShuffleBuffer(Stream(32), 8, shuffle=True), batch_size=8, num_workers=2)
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
