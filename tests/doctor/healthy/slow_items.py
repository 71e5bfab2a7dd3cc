"""Each item takes a second of a processor."""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Heavy(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, index):
        begin = time.process_time()
        while time.process_time() - begin < 1:
            sum(range(10_000))
        return torch.tensor(index)


if __name__ == "__main__":
    for _ in DataLoader(Heavy(), num_workers=2):
        pass
