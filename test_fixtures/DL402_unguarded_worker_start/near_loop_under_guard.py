"""The body of the guard itself builds and iterates the loader, with no main function."""

import torch
from torch.utils.data import DataLoader, TensorDataset

points = torch.rand(64, 3)

if __name__ == "__main__":
    loader = DataLoader(TensorDataset(points), batch_size=8, num_workers=2)
    for epoch in range(1):
        for (batch,) in loader:
            print(batch.sum().item())
