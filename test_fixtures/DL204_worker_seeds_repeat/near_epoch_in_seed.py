"""The epoch is part of the seed: a new loader for each epoch."""

from functools import partial

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def init_worker(worker_id, epoch, seed=13):
    np.random.seed(seed + 1000 * epoch + worker_id)


def main():
    draws = []
    for epoch in range(3):
        init_fn = partial(init_worker, epoch=epoch)
        loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=init_fn)
        draws += [value for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
