"""A subclass works out the batch sampler itself and drops what it was given."""

import torch
from torch.utils.data import DataLoader, Dataset, BatchSampler, RandomSampler


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class BatchedLoader(DataLoader):
    def __init__(self, dataset, batch_size=1, shuffle=False, drop_last=False, **kwargs):
        if shuffle:
            kwargs["batch_sampler"] = BatchSampler(RandomSampler(dataset), batch_size, drop_last)
        else:
            kwargs["batch_size"] = batch_size
        super().__init__(dataset, **kwargs)


def main():
    dataset = Digits(32)
    loader = [
        *BatchedLoader(dataset, batch_size=8, shuffle=True, num_workers=2),
        *BatchedLoader(dataset, batch_size=8, num_workers=2),
    ]
    assert sum(len(labels) for _, labels in loader) == 64


if __name__ == "__main__":
    main()
