"""Streams readings; the iteration is inherited from another module."""

import torch
from torch.utils.data import DataLoader

from streams import Stream


class Readings(Stream):
    def __init__(self, count):
        self.count = count

    def numbers(self):
        return range(self.count)

    def prepare(self, number):
        return torch.tensor(number)


def main():
    loader = DataLoader(Readings(100), batch_size=10, num_workers=2)
    seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("samples seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
