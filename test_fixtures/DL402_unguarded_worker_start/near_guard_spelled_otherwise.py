"""The same guard, written the other way round, and ended by sys.exit."""

import sys

import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    loader = DataLoader(TensorDataset(torch.rand(64, 3)), batch_size=8, num_workers=2)
    for (batch,) in loader:
        if not torch.isfinite(batch).all():
            return 1
    return 0


if "__main__" == __name__:
    sys.exit(main())
