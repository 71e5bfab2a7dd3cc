"""worker_init_fn does something else than seeding."""

import os

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.rand(1).item() + 0 * self.first


def init_worker(worker_id):
    os.environ["WORKER"] = str(worker_id)
    info = get_worker_info()
    info.dataset.first = worker_id * 4


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2, worker_init_fn=init_worker)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
