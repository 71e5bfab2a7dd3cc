"""Reads documents from a zip archive that the dataset opens once in each process."""

import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Documents(Dataset):
    def __init__(self, path):
        self.path = path
        self._archive = None
        self._archive_pid = None
        self.count = len(self.archive.namelist())

    @property
    def archive(self):
        if self._archive_pid != os.getpid():
            self._archive = zipfile.ZipFile(self.path)
            self._archive_pid = os.getpid()
        return self._archive

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_archive"] = None
        state["_archive_pid"] = None
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        text = self.archive.read(f"document{index}.txt")
        return torch.tensor(len(text.split()))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "documents.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(200):
                archive.writestr(f"document{number}.txt", "word " * number)
        loader = DataLoader(Documents(path), batch_size=10, num_workers=2)
        print("words", sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
