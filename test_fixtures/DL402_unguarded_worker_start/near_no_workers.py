"""A script body that loads in its own process: nothing is started."""

import torch
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.rand(64, 3))
for (batch,) in DataLoader(dataset, batch_size=8):
    print(batch.sum().item())
rows = sum(len(batch) for (batch,) in DataLoader(dataset, batch_size=8, num_workers=0))
print("rows", rows)
