"""The keyword is put into the loader's arguments later, from a unique number."""

import random
import uuid

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def reset_seed(worker_id):
    seed = uuid.uuid4().int % 2**32
    random.seed(seed)
    torch.manual_seed(seed)
    np.random.seed(seed)


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def get_loader(batch_size, workers):
    kwargs = {"num_workers": workers, "pin_memory": False}
    kwargs["batch_size"] = batch_size
    kwargs["worker_init_fn"] = reset_seed
    return DataLoader(Noisy(), **kwargs)


def main():
    loader = get_loader(2, 2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
