"""Reads documents from a zip archive that the dataset opens when it is made."""

import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Documents(Dataset):
    def __init__(self, path):
        self.archive = zipfile.ZipFile(path)  # expect: DL403
        self.count = len(self.archive.namelist())

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
