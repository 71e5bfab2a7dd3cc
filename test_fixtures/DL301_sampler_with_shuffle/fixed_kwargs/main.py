"""The loader's arguments are collected in a dictionary of another file."""

import torch
from torch import nn
from torch.utils import data

from config import loader_options
from digits import Digits


def make_loader(dataset, train):
    options = loader_options(train)
    del options["shuffle"]
    options["sampler"] = data.RandomSampler(dataset, replacement=True, num_samples=16)
    return data.DataLoader(dataset, **options)


def main():
    loader = make_loader(Digits(32), train=True)
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
