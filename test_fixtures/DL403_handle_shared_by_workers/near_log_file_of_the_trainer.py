"""The trainer keeps a log file open; the dataset, which goes to the workers, has no part in it."""

import os
import tempfile

import torch
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, folder, rows):
        self.log = open(os.path.join(folder, "train.log"), "w")
        self.loader = DataLoader(TensorDataset(torch.rand(rows, 3)), batch_size=8, num_workers=2)

    def fit(self):
        for step, (batch,) in enumerate(self.loader):
            self.log.write(f"{step} {batch.mean().item()}\n")
        self.log.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        Trainer(folder, 64).fit()


if __name__ == "__main__":
    main()
