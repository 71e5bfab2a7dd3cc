"""A module with a self-check that nobody calls on import."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def self_check():
    loader = DataLoader(TensorDataset(torch.rand(64, 3)), batch_size=8, num_workers=2)
    for (batch,) in loader:
        assert batch.shape == (8, 3)


def describe():
    return "64 rows of 3"


print(describe())
