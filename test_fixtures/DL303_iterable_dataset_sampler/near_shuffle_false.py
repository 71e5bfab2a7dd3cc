"""shuffle=False and a sampler of None are allowed for a stream."""

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


def main():
    loader = DataLoader(
        Stream(32), batch_size=8, shuffle=False, sampler=None, batch_sampler=None, num_workers=2
    )
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
