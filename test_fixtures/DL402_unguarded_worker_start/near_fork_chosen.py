"""A script body whose loader forks its workers: they do not run the script again."""

import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(64, 3)), batch_size=8, num_workers=2, multiprocessing_context="fork")
for (batch,) in loader:
    print(batch.sum().item())
