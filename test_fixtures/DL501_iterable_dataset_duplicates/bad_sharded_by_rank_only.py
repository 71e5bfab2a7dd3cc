"""Shards the stream over the machines of a training, but not over the workers of one machine."""

import itertools

import torch
from torch.utils.data import DataLoader, IterableDataset


class Readings(IterableDataset):
    def __init__(self, count, rank=0, world_size=1):
        self.count = count
        self.rank = rank
        self.world_size = world_size

    def stream(self):
        return map(torch.tensor, range(self.count))

    def __iter__(self):  # expect: DL501
        return itertools.islice(self.stream(), self.rank, None, self.world_size)


def main():
    loader = DataLoader(Readings(100), batch_size=10, num_workers=2)
    seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("samples seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
