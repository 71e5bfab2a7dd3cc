"""shuffle=train and not distributed; the sampler is made only if distributed."""

import argparse

import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def make_loader(dataset, args, train=True):
    sampler = None
    if args.distributed:
        sampler = RandomSampler(dataset)
    return DataLoader(
        dataset, batch_size=8, shuffle=train and not args.distributed, num_workers=2, sampler=sampler
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--distributed", action="store_true")
    loader = make_loader(Digits(32), parser.parse_args())
    assert sum(len(labels) for _, labels in loader) == 32


if __name__ == "__main__":
    main()
