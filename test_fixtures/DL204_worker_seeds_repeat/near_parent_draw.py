"""The training process draws a new base for every epoch and hands it over with partial."""

from functools import partial

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def init_worker(worker_id, base):
    np.random.seed(base + worker_id)


def epoch_loader(dataset):
    base = int(torch.randint(2**31, (1,)))
    return DataLoader(dataset, batch_size=2, num_workers=2, worker_init_fn=partial(init_worker, base=base))


def main():
    loaders = [epoch_loader(Noisy()) for _ in range(3)]
    draws = [value for loader in loaders for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
