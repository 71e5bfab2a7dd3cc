"""Delegates to a reader that shards; the dataset itself never asks who it is."""

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Reader:
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        yield from range(worker, self.count, workers)


class Readings(IterableDataset):
    def __init__(self, reader):
        self.reader = reader

    def __iter__(self):
        for number in self.reader:
            yield torch.tensor(number)


def main():
    loader = DataLoader(Readings(Reader(100)), batch_size=10, num_workers=2)
    seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("samples seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
