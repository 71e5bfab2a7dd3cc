"""Spawns its workers after main changed the environment: a spawned process inherits it."""

import multiprocessing
import os

import torch
from torch.utils.data import DataLoader, Dataset


class Paths(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        assert os.environ["DATA_ROOT"] == "/data/pets"
        return torch.tensor(len(os.environ["DATA_ROOT"]) + index)


def main():
    multiprocessing.set_start_method("spawn", force=True)
    os.environ["DATA_ROOT"] = "/data/pets"
    loader = DataLoader(Paths(), batch_size=4, num_workers=1)
    print(sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
