"""torch.random.fork_rng gives the seeded block its own copy of the state."""

import torch
from torch.utils.data import DataLoader, Dataset


class FixedNoise(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(index)
            fixed = torch.randn(1)
        return fixed, torch.rand(1)


def main():
    loader = DataLoader(FixedNoise(), batch_size=2, num_workers=2)
    free = [value for _ in range(2) for _, values in loader for value in values.flatten().tolist()]
    assert len(set(free)) == 16


if __name__ == "__main__":
    main()
