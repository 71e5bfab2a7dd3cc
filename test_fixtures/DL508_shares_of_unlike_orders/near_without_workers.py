"""Shuffles all of them where there are no workers."""

import random

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Readings(IterableDataset):
    def __init__(self, count):
        self.numbers = list(range(count))

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            random.shuffle(self.numbers)
            yield from map(torch.tensor, self.numbers)
        else:
            for number in self.numbers[info.id :: info.num_workers]:
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
