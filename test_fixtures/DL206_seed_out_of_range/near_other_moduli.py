"""Other ways to stay under 2**32."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


LIMIT = 2**31 - 1


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() & 0xFFFFFFFF)
    np.random.seed(get_worker_info().seed % (2**32 - 1))
    np.random.seed(int(torch.initial_seed()) % LIMIT + worker_id)
    np.random.seed(torch.initial_seed() % 4294967296)
    np.random.seed(np.uint32(torch.initial_seed() % (1 << 32)))


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
