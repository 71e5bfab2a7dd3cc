"""Every argument is taken back where the batch sampler is there."""

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


def create_loader(dataset, batch_size, batch_sampler=None):
    return DataLoader(
        dataset,
        batch_size=1 if batch_sampler is not None else batch_size,
        shuffle=batch_sampler is None,
        batch_sampler=batch_sampler,
        num_workers=2,
    )


def main():
    dataset = Digits(32)
    batches = BatchSampler(RandomSampler(dataset), 8, False)
    loader = [*create_loader(dataset, 8), *create_loader(dataset, 8, batches)]
    assert sum(len(labels) for _, labels in loader) == 64


if __name__ == "__main__":
    main()
