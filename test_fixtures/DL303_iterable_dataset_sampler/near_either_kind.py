"""shuffle only where the dataset is not a stream."""

import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for number in range(first, len(self.images), step):
            yield self.images[number], number % 4


def make_loader(dataset, shuffle=True):
    iterable = isinstance(dataset, IterableDataset)
    return DataLoader(dataset, batch_size=8, shuffle=shuffle and not iterable, num_workers=2)


def main():
    table = TensorDataset(torch.rand(32, 16), torch.arange(32))
    loader = [*make_loader(Stream(32)), *make_loader(table)]
    assert sum(len(labels) for _, labels in loader) == 64


if __name__ == "__main__":
    main()
