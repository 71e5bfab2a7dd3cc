"""Streams readings through a helper that gives each worker its share."""

import torch
from torch.utils.data import DataLoader, IterableDataset

from sharding import split_by_worker


class Readings(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return map(torch.tensor, split_by_worker(range(self.count)))


def main():
    loader = DataLoader(Readings(100), batch_size=10, num_workers=2)
    seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("samples seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
