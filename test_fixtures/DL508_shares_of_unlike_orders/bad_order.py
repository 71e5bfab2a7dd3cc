"""Draws an order in each worker, and goes from one number to another."""

import math

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Readings(IterableDataset):
    def __init__(self, count):
        self.numbers = list(range(count))

    def __iter__(self):
        order = torch.randperm(len(self.numbers)).tolist()  # expect: DL508
        info = get_worker_info()
        start, end = 0, len(order)
        if info is not None:
            share = math.ceil(len(order) / info.num_workers)
            start = info.id * share
            end = min(start + share, len(order))
        for at in range(start, end):
            yield torch.tensor(self.numbers[order[at]])


def main():
    torch.manual_seed(0)
    loader = DataLoader(Readings(30), batch_size=5, num_workers=2)
    seen = torch.cat(list(loader)).tolist()
    lost = 30 - len(set(seen))
    print("readings:", len(seen), "of 30 never seen:", lost)
    print("dlint-measure:", lost)


if __name__ == "__main__":
    main()
