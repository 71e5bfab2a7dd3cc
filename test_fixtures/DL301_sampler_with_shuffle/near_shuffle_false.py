"""shuffle=False, shuffle=None and a sampler of None are allowed; the sampler does the shuffling."""

import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler


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
    loaders = [
        DataLoader(dataset, batch_size=8, shuffle=False, num_workers=2, sampler=RandomSampler(dataset)),
        DataLoader(dataset, batch_size=8, shuffle=None, num_workers=2, sampler=SequentialSampler(dataset)),
        DataLoader(dataset, batch_size=8, shuffle=True, num_workers=2, sampler=None),
        DataLoader(dataset, 8, True, None, num_workers=2),
    ]
    loader = [batch for each in loaders for batch in each]
    assert sum(len(labels) for _, labels in loader) == 128


if __name__ == "__main__":
    main()
