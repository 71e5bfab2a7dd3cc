"""Each item comes after a pause, as from a slow network folder."""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Remote(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, index):
        time.sleep(600)
        return torch.tensor(index)


if __name__ == "__main__":
    for _ in DataLoader(Remote(), num_workers=2):
        pass
