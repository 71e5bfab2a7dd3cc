"""A sampler in one dictionary, shuffle in another, which takes it out first."""

import torch
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler


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
    common = {"batch_size": 8, "num_workers": 2}
    train_kwargs = {"shuffle": True}
    train_kwargs.update(common)
    subset_kwargs = dict(train_kwargs, sampler=SubsetRandomSampler(range(8)))
    subset_kwargs.pop("shuffle")
    loader = [
        batch for kwargs in (train_kwargs, subset_kwargs) for batch in DataLoader(dataset, **kwargs)
    ]
    assert sum(len(labels) for _, labels in loader) == 40


if __name__ == "__main__":
    main()
