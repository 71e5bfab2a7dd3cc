"""A BatchSampler as the sampler with batch_size=None: the dataset takes lists of indices."""

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


def main():
    dataset = Digits(32)
    batches = BatchSampler(RandomSampler(dataset), batch_size=8, drop_last=False)
    loader = DataLoader(dataset, batch_size=None, sampler=batches, num_workers=2)
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
