"""A BatchSampler given as the sampler: every index that reaches the dataset is a list."""

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler


class Clips(Dataset):
    def __init__(self, length):
        self.clips = [(torch.rand(16), number % 4) for number in range(length)]

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, index):
        return self.clips[index]


def main():
    dataset = Clips(32)
    batches = BatchSampler(RandomSampler(dataset), batch_size=8, drop_last=False)
    loader = DataLoader(dataset, num_workers=2, batch_sampler=batches)
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
