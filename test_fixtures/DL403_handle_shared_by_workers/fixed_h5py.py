"""Reads arrays from an HDF5 file that the dataset opens once in each process."""

import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Arrays(Dataset):
    def __init__(self, path):
        self.path = path
        self._store = None
        self._store_pid = None

    @property
    def store(self):
        if self._store_pid != os.getpid():
            self._store = h5py.File(self.path, "r")
            self._store_pid = os.getpid()
        return self._store

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_store"] = None
        state["_store_pid"] = None
        return state

    def __len__(self):
        return len(self.store["images"])

    def __getitem__(self, index):
        return torch.from_numpy(self.store["images"][index])


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "images.h5")
        with h5py.File(path, "w") as store:
            store["images"] = torch.arange(200 * 64, dtype=torch.float32).reshape(200, 8, 8).numpy()
        loader = DataLoader(Arrays(path), batch_size=10, num_workers=2)
        print("sum", sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
