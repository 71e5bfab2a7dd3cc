"""A project's own loader that always shuffles, with an optional subset sampler."""

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


class TrainLoader(DataLoader):
    def __init__(self, dataset, indices, batch_size, num_workers):
        super().__init__(  # expect: DL301
            dataset,
            batch_size,
            shuffle=True,
            sampler=SubsetRandomSampler(indices),
            num_workers=num_workers,
        )


def main():
    loader = TrainLoader(Digits(32), indices=range(24), batch_size=8, num_workers=2)
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
