"""The branch with the sampler returns before the loader that shuffles is made."""

import torch
from torch.utils import data
from torch.utils.data import Dataset


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def data_sampler(dataset, shuffle, subset):
    if subset:
        return data.SubsetRandomSampler(range(8))
    if shuffle:
        return data.RandomSampler(dataset)
    return data.SequentialSampler(dataset)


def make_loader(dataset, shuffle=True, subset=False, use_sampler=True):
    if use_sampler:
        sampler = data_sampler(dataset, shuffle=shuffle, subset=subset)
        return data.DataLoader(dataset, batch_size=8, num_workers=2, sampler=sampler)
    return data.DataLoader(dataset, batch_size=8, num_workers=2, shuffle=shuffle)


def main():
    dataset = Digits(32)
    loader = [*make_loader(dataset, subset=True), *make_loader(dataset, use_sampler=False)]
    assert sum(len(labels) for _, labels in loader) == 40


if __name__ == "__main__":
    main()
