"""Streams the lines of files whose names come from a queue: each name goes to one worker only."""

import multiprocessing
import os
import tempfile

import torch
from torch.utils.data import DataLoader, IterableDataset


class Corpus(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def names(self):
        while (name := self.paths.get()) is not None:
            yield name

    def __iter__(self):
        for path in self.names():
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
    with tempfile.TemporaryDirectory() as folder:
        names = multiprocessing.Queue()
        for name in [*write_numbers(folder), None, None]:
            names.put(name)
        loader = DataLoader(Corpus(names), batch_size=10, num_workers=2)
        seen = torch.cat(list(loader)).tolist()
    print("lines seen:", len(seen), "of them different:", len(set(seen)))


if __name__ == "__main__":
    main()
