"""get_worker_info().seed changes with every epoch and worker; the rank is added on top."""

import os

import numpy as np
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


RANK = int(os.environ.get("RANK", 0))


def init_worker(worker_id):
    np.random.seed((get_worker_info().seed + 1000 * RANK + worker_id) % (2**32 - 1))


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=init_worker)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
