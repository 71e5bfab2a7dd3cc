"""A pool for every epoch, in the main process: few, joined, and nothing to do with the workers."""
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, TensorDataset


def describe(batch):
    return float(batch.mean())


def main():
    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8, num_workers=2)
    for _epoch in range(2):
        with ThreadPoolExecutor(max_workers=2) as executor:
            means = list(executor.map(describe, [batch for (batch,) in loader]))
        assert len(means) == 8


if __name__ == "__main__":
    main()
