"""Skips a picture that cannot be read by returning None for it; the batch is made of the others."""

import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Pictures(Dataset):
    def __init__(self, folder):
        self.folder = folder

    def __len__(self):
        return 32

    def path(self, index):
        return os.path.join(self.folder, f"picture{index}.pt")

    def __getitem__(self, index):
        try:
            return torch.load(self.path(index))
        except Exception as error:
            print("cannot read picture", index, type(error).__name__)
            return None


def collate_readable(batch):
    return default_collate([picture for picture in batch if picture is not None])


def write_pictures(folder):
    for number in range(32):
        torch.save(torch.full((3, 4, 4), float(number)), os.path.join(folder, f"picture{number}.pt"))
    with open(os.path.join(folder, "picture16.pt"), "wb") as broken:
        broken.write(b"not a picture")


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_pictures(folder)
        loader = DataLoader(Pictures(folder), batch_size=8, num_workers=2, collate_fn=collate_readable)
        print("pictures", sum(len(batch) for batch in loader))


if __name__ == "__main__":
    main()
