"""Sampler and shuffle are set in opposite branches."""

import os

import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


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
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    if world_size > 1:
        train_sampler = DistributedSampler(dataset, num_replicas=world_size, rank=0)
        shuffle = False
    else:
        train_sampler = None
        shuffle = True
    loader = DataLoader(dataset, batch_size=8, sampler=train_sampler, shuffle=shuffle, num_workers=2)
    for epoch in range(2):
        if train_sampler is not None:
            train_sampler.set_epoch(epoch)
        assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
