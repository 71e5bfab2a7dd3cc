"""The size of the pool is an argument that is never None."""
import os
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def read(seed):
    return np.random.default_rng(seed).random(32, dtype=np.float32)


class Rows(IterableDataset):
    def __init__(self, length, threads=2):
        self.length = length
        self.threads = threads

    def __iter__(self):
        info = get_worker_info()
        mine = list(range(info.id, self.length, info.num_workers))
        half = len(mine) // 2
        with ThreadPoolExecutor(self.threads) as executor:
            futures = [executor.submit(read, seed) for seed in mine[:half]]
            for future in futures:
                yield torch.from_numpy(future.result())
        with ThreadPool(processes=max(1, min(2, (os.cpu_count() or 1) // info.num_workers))) as pool:
            for row in pool.imap(read, mine[half:]):
                yield torch.from_numpy(row)


def main():
    rows = torch.cat(list(DataLoader(Rows(64), batch_size=8, num_workers=2)))
    assert rows.shape == (64, 32)


if __name__ == "__main__":
    main()
