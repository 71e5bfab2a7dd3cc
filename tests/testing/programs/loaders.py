"""Loaders as projects write them: each function gives one, and its name says what is wrong with it."""

import random
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Numbers(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.tensor(index)


class Pooled(Numbers):
    def __init__(self):
        self.pool = ThreadPool(2)

    def __getitem__(self, index):
        return torch.tensor(self.pool.map(int, [index])[0])


def pool_across_fork():
    return DataLoader(Pooled(), batch_size=4)


class Helped(Numbers):
    def __getitem__(self, index):
        subprocess.Popen(["sleep", "86397"])
        time.sleep(86397)


def helper_of_a_worker():
    return DataLoader(Helped())


class Noisy(Numbers):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return index + self.rng.random()


def generator_shared():
    dataset = Noisy()
    return DataLoader(dataset, batch_size=4, num_workers=2)


class Silenced(Numbers):
    def __init__(self):
        self.rng = np.random.default_rng(0)  # NOT-QUITE: DL203

    def __getitem__(self, index):
        return index + self.rng.random()


def generator_silenced():
    return DataLoader(Silenced(), batch_size=4, num_workers=2)


class Seeded(Numbers):
    def __getitem__(self, index):
        np.random.seed(0)
        return np.random.rand()


def seed_in_worker():
    return DataLoader(Seeded(), batch_size=4)


class Opened(Numbers):
    def __init__(self):
        self.file = Path(__file__).open("rb")  # noqa: SIM115

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)[0]


def handle_shared():
    return DataLoader(Opened(), batch_size=4)


class Stream(IterableDataset):
    def __iter__(self):
        yield from range(64)


def stream_doubled():
    return DataLoader(Stream(), batch_size=4)


class Gaps(Numbers):
    def __getitem__(self, index):
        return None if index % 7 == 3 else index


def none_item():
    return DataLoader(Gaps(), batch_size=4)


class Broken(Numbers):
    def __getitem__(self, index):
        if index == 5:
            raise KeyError("five")
        return index


def raises_in_item():
    return DataLoader(Broken(), batch_size=4)


def sampler_with_shuffle():
    return DataLoader(Numbers(), sampler=[1, 2], shuffle=True)


class PoolPerItem(Numbers):
    def __getitem__(self, index):
        with ThreadPoolExecutor(2) as pool:
            return pool.submit(int, index).result()


def pool_per_item():
    return DataLoader(PoolPerItem(), batch_size=4)


def fails():
    raise LookupError("no such split")


# Nothing is wrong with these.


def clean():
    return DataLoader(Numbers(), batch_size=4, shuffle=True, num_workers=2)


def dataset_alone():
    return Numbers()


def kept_workers():
    return DataLoader(Numbers(), batch_size=4, num_workers=2, persistent_workers=True)


class Lazy(Numbers):
    """Opens its file in each process, at the first item; so it is wrong only where another has left one open."""

    file = None

    def __getitem__(self, index):
        if self.file is None:
            self.file = Path(__file__).open("rb")  # noqa: SIM115
        self.file.seek(index)
        return self.file.read(1)[0]


def opened_lazily():
    return DataLoader(Lazy(), batch_size=4)


class Shared(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        yield from range(first, 64, step)


def stream_shared_out():
    return DataLoader(Shared(), batch_size=4)


class Drawing(Numbers):
    def __getitem__(self, index):
        print("a line of output for each item")
        return torch.rand(1) + random.random() + np.random.rand()


def drawing():
    return DataLoader(Drawing(), batch_size=4)
