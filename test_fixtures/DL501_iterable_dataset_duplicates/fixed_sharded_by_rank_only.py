"""Shards the stream over the machines of a training, and over the workers of each machine."""

import itertools

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Readings(IterableDataset):
    def __init__(self, count, rank=0, world_size=1):
        self.count = count
        self.rank = rank
        self.world_size = world_size

    def stream(self):
        return map(torch.tensor, range(self.count))

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        first = self.rank * workers + worker
        return itertools.islice(self.stream(), first, None, self.world_size * workers)


def main():
    loader = DataLoader(Readings(100), batch_size=10, num_workers=2)
    seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("samples seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
