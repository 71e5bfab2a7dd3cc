"""Local functions that are made in the worker, item by item, and never travel."""

import torch
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        def wave(times):
            return torch.sin(times * (index + 1))

        scale = lambda values: values * 0.5
        return scale(wave(torch.linspace(0, 1, 16)))


def main():
    loader = DataLoader(Waves(), batch_size=8, shuffle=True, num_workers=2)
    print("samples", sum(batch.numel() for batch in loader))


if __name__ == "__main__":
    main()
