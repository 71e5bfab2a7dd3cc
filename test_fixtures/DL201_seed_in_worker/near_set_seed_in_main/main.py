"""The usual set_seed helper, called once in main before the loaders are made."""

import torch
from torch.utils.data import DataLoader, Dataset

from utils import set_seed


class Noise(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.randn(3)


def main():
    set_seed(3407)
    loader = DataLoader(Noise(), batch_size=2, num_workers=2)
    for epoch in range(2):
        for batch in loader:
            assert batch.shape == (2, 3)


if __name__ == "__main__":
    main()
