"""multiprocessing.dummy.Pool is a pool of threads: workers may have one."""
from multiprocessing.dummy import Pool

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def read(seed):
    return np.random.default_rng(seed).random(32, dtype=np.float32)


class Rows(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        with Pool(2) as pool:
            for row in pool.imap(read, range(info.id, 32, info.num_workers)):
                yield torch.from_numpy(row)


def main():
    rows = torch.cat(list(DataLoader(Rows(), batch_size=8, num_workers=2)))
    assert rows.shape == (32, 32)


if __name__ == "__main__":
    main()
