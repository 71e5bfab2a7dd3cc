"""Streams the lines of a file with map; every worker reads the whole file."""

import os
import tempfile

import torch
from torch.utils.data import DataLoader, IterableDataset


class TextLines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def parse(self, line):
        return torch.tensor(int(line))

    def __iter__(self):  # expect: DL501
        return map(self.parse, open(self.path))


def write_numbers(path, count):
    with open(path, "w") as file:
        file.writelines(f"{number}\n" for number in range(count))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers.txt")
        write_numbers(path, 120)
        loader = DataLoader(TextLines(path), batch_size=10, num_workers=2)
        seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("lines seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
