"""Leaves out what does not fill a share for each worker, and shuffles its own."""

import random

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Readings(IterableDataset):
    def __init__(self, count):
        self.numbers = list(range(count))

    def __iter__(self):
        info = get_worker_info()
        numbers = self.numbers
        if info is not None:
            numbers = numbers[: len(numbers) // info.num_workers * info.num_workers]
            numbers = numbers[info.id :: info.num_workers]
        buffer = []
        for number in numbers:
            buffer.append(number)
        random.shuffle(buffer)
        for number in buffer:
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
