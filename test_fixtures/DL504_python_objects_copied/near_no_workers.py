"""A long list, and no workers that could copy it."""

import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.names = [f"image{number:06}" for number in range(20_000)]

    def __len__(self):
        return 200

    def __getitem__(self, index):
        return torch.tensor(len(self.names[index]))


def main():
    loader = DataLoader(Samples(), batch_size=8, num_workers=0)
    print(sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
