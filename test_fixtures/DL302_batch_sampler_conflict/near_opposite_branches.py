"""The dictionary of arguments gets a batch sampler or a batch size, never both."""

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


def create_loader(dataset, batch_size, scheduled):
    kwargs = dict(num_workers=2)
    if scheduled:
        kwargs["batch_sampler"] = BatchSampler(RandomSampler(dataset), batch_size, True)
    else:
        kwargs.update(batch_size=batch_size, shuffle=True, drop_last=True)
    return DataLoader(dataset, **kwargs)


def main():
    dataset = Digits(32)
    loader = [*create_loader(dataset, 8, True), *create_loader(dataset, 8, False)]
    assert sum(len(labels) for _, labels in loader) == 64


if __name__ == "__main__":
    main()
