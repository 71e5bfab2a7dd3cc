"""Workers by keyword, by position and through a dictionary."""

import torch
from torch.utils.data import DataLoader, Dataset


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
    kwargs = dict(batch_size=8)
    kwargs["num_workers"] = 2
    loaders = [
        DataLoader(dataset, batch_size=8, num_workers=2),
        DataLoader(dataset, 8, False, None, None, 2),
        DataLoader(dataset, **kwargs),
    ]
    loader = [batch for each in loaders for batch in each]
    assert sum(len(labels) for _, labels in loader) == 96


if __name__ == "__main__":
    main()
