"""Shuffles in each worker, then takes the worker's share: some readings are in no share."""

import random

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Readings(IterableDataset):
    def __init__(self, count):
        self.numbers = list(range(count))

    def __iter__(self):
        random.shuffle(self.numbers)  # expect: DL508
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for number in self.numbers[first::step]:
            yield torch.tensor(number)


def main():
    torch.manual_seed(0)
    loader = DataLoader(Readings(30), batch_size=5, num_workers=2)
    seen = torch.cat(list(loader)).tolist()
    lost = 30 - len(set(seen))
    print("readings:", len(seen), "of 30 never seen:", lost)
    print("dlint-measure:", lost)


if __name__ == "__main__":
    main()
