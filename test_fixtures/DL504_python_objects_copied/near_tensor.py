"""Holds many numbers in a tensor, which has one reference count."""

import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.labels = torch.tensor([number % 10 for number in range(20_000)])

    def __len__(self):
        return 200

    def __getitem__(self, index):
        return self.labels[index * 100]


def main():
    loader = DataLoader(Samples(), batch_size=8, num_workers=2)
    print(sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
