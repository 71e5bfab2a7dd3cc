"""Streams the lines of the files that the command line names; every worker reads all of them."""

import argparse
import os
import tempfile

import torch
from torch.utils.data import DataLoader, IterableDataset


class Corpus(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):  # expect: DL501
        for path in self.paths:
            with open(path) as file:
                for line in file:
                    yield torch.tensor(int(line))


def write_numbers(folder):
    paths = [os.path.join(folder, f"{part}.txt") for part in range(4)]
    for part, path in enumerate(paths):
        with open(path, "w") as file:
            file.writelines(f"{30 * part + number}\n" for number in range(30))
    return paths


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="+")
    with tempfile.TemporaryDirectory() as folder:
        arguments = parser.parse_args(write_numbers(folder))
        loader = DataLoader(Corpus(arguments.paths), batch_size=10, num_workers=2)
        seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("lines seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
