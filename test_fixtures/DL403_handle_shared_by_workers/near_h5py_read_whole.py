"""Takes the arrays out of an HDF5 file when the dataset is made: nothing of the file is kept."""

import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self, path):
        with h5py.File(path, "r") as store:
            self.scans = store["scans"][()]
            self.labels = store["labels"][:]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return torch.from_numpy(self.scans[index]), int(self.labels[index])


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scans.h5")
        with h5py.File(path, "w") as store:
            store["scans"] = torch.arange(100 * 16, dtype=torch.float32).reshape(100, 16).numpy()
            store["labels"] = (torch.arange(100) % 2).numpy()
        loader = DataLoader(Scans(path), batch_size=10, num_workers=2)
        print("sum", sum(scans.sum().item() for scans, _ in loader))


if __name__ == "__main__":
    main()
