"""A loader class in the old style, which calls DataLoader.__init__ itself."""

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


class SplitLoader(DataLoader):
    def __init__(self, dataset, split, num_workers=2):
        first = int(len(dataset) * split)
        options = {"batch_size": 8, "num_workers": num_workers}
        sampler = SubsetRandomSampler(range(first, len(dataset)))
        DataLoader.__init__(self, dataset, sampler=sampler, **options)


def main():
    loader = SplitLoader(Digits(32), split=0.25)
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
