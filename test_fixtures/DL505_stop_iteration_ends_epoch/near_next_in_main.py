"""The training loop takes batches with next; the dataset takes none."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    loader = DataLoader(TensorDataset(torch.rand(64, 3)), batch_size=8, num_workers=2)
    batches = iter(loader)
    for step in range(8):
        (batch,) = next(batches)
        print(step, batch.mean().item())


if __name__ == "__main__":
    main()
