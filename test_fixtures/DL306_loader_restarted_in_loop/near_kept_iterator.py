"""The iterator is kept and restarted when it has run out."""

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((3,), float(index)), index


def main():
    loader = DataLoader(Rows(), batch_size=4, shuffle=True, num_workers=2)
    iterator = iter(loader)
    seen = set()
    for step in range(10):
        try:
            rows, numbers = next(iterator)
        except StopIteration:
            iterator = iter(loader)
            rows, numbers = next(iterator)
        seen.update(numbers.tolist())
    assert seen == set(range(32))


if __name__ == "__main__":
    main()
