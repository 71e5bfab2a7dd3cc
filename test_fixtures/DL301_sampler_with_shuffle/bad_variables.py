"""Both are set in the same branch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


def get_loader(dataset, train, workers=2):
    shuffle = False
    sampler = None
    if train:
        shuffle = True
        sampler = SubsetRandomSampler(torch.randperm(len(dataset))[:16])
    return DataLoader(dataset, 8, shuffle, sampler, num_workers=workers)  # expect: DL301


def main():
    loader = get_loader(Digits(32), train=True)
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
