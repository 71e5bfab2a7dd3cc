"""Each worker makes one pool when it begins to iterate, not one an item."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def read(seed):
    return np.random.default_rng(seed).random(64, dtype=np.float32)


class Rows(IterableDataset):
    def __init__(self, length):
        self.length = length

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        indices = list(range(first, self.length, step))
        with ThreadPoolExecutor(max_workers=2) as executor:
            for begin in range(0, len(indices), 8):
                for row in executor.map(read, indices[begin : begin + 8]):
                    yield torch.from_numpy(row)


def main():
    rows = torch.cat(list(DataLoader(Rows(64), batch_size=8, num_workers=2)))
    assert rows.shape == (64, 64)


if __name__ == "__main__":
    main()
