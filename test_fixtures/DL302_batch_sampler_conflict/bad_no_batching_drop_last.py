"""The dataset gives whole batches: batching is off, drop_last is still on."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class Batches(Dataset):
    def __init__(self, digits, size):
        self.parts = [Subset(digits, range(start, start + size)) for start in range(0, len(digits), size)]

    def __len__(self):
        return len(self.parts)

    def __getitem__(self, index):
        images, labels = zip(*self.parts[index])
        return torch.stack(images), torch.stack(labels)


def main():
    loader = DataLoader(Batches(Digits(32), 8), batch_size=None, drop_last=True, num_workers=2)  # expect: DL302
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
