"""NumPy's SeedSequence mixes torch's seed with the worker's number."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def init_worker(worker_id):
    base = torch.initial_seed() - worker_id
    sequence = np.random.SeedSequence([worker_id, base])
    np.random.seed(sequence.generate_state(4))


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=init_worker)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
