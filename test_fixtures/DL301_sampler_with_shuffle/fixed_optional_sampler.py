"""The caller may bring a sampler; the loader shuffles all the same."""

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


def get_loader(dataset, subset=None, workers=2):
    sampler = SubsetRandomSampler(subset) if subset is not None else None
    return DataLoader(dataset, batch_size=8, shuffle=sampler is None, sampler=sampler,
                      num_workers=workers)


def main():
    loader = get_loader(Digits(32), subset=range(16))
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
