"""Train on a long stream; an executor's map looks lazy, but it submits the whole stream at once."""
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

LENGTH = 20_000


def read(index):
    return torch.full((8,), float(index))


class Stream(IterableDataset):
    def __init__(self):
        self.submitted = 0

    def indices(self):
        info = get_worker_info()
        for index in range(info.id, LENGTH, info.num_workers):
            self.submitted += 1
            yield index

    def __iter__(self):
        with ThreadPoolExecutor(max_workers=2) as executor:
            for given, row in enumerate(executor.map(read, self.indices())):  # expect: DL104
                yield row, self.submitted - given


def main():
    model = torch.nn.Linear(8, 2)
    most = 0
    for rows, waiting in DataLoader(Stream(), batch_size=500, num_workers=2):
        model(rows).mean().backward()
        most = max(most, int(waiting.max()))
    print("dlint-measure:", most)


if __name__ == "__main__":
    main()
