"""Spawns its workers; only main makes float64 the default, so the workers' tensors do not fit the model."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Orbits(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        angle = torch.linspace(0, 1, 16) * index
        return torch.sin(angle)


def main():
    torch.multiprocessing.set_start_method("spawn", force=True)
    torch.set_default_dtype(torch.float64)  # expect: DL404
    loader = DataLoader(Orbits(), batch_size=8, num_workers=2)
    model = nn.Linear(16, 1)
    for batch in loader:
        model(batch).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
