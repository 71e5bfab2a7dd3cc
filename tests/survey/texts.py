"""A program with one finding, and one with none."""

from __future__ import annotations

LOADER = """import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Rows(Dataset):
    def __getitem__(self, index):
        return index

    def __len__(self):
        return 8


def main():
    rows = Rows()
    return DataLoader(rows, sampler=RandomSampler(rows), shuffle={shuffle})
"""
WRONG = LOADER.format(shuffle=True)
RIGHT = LOADER.format(shuffle=False)
