"""The loop goes over several loaders; each is started once."""

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((3,), float(index)), index


def main():
    loaders = [DataLoader(Rows(), batch_size=size, num_workers=2) for size in (2, 4)]
    for loader in loaders:
        rows, numbers = next(iter(loader))
        assert len(rows) == len(numbers)
    for size in (4, 8):
        loader = DataLoader(Rows(), batch_size=size, num_workers=2)
        assert len(next(iter(loader))[1]) == size


if __name__ == "__main__":
    main()
