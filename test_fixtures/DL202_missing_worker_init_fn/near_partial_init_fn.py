"""A seeding function bound to the process's rank with functools.partial."""

from functools import partial

import numpy as np
from torch.utils.data import DataLoader, Dataset, get_worker_info


def init_worker(worker_id, rank, seeding="all"):
    info = get_worker_info()
    assert info.id == worker_id
    if seeding == "all":
        np.random.seed((info.seed + rank) % (2**32 - 1))


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def main():
    init_fn = partial(init_worker, rank=0)
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=init_fn)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
