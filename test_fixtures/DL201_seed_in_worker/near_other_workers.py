"""Worker processes that are not the loader's: a preprocessing pool whose jobs are seeded one by one."""

import multiprocessing
import random

import torch
from torch.utils.data import DataLoader, TensorDataset


def make_shard(seed):
    random.seed(seed)
    return [random.random() for _ in range(4)]


def main_worker(rank, world_size):
    torch.manual_seed(rank)
    with multiprocessing.Pool(2) as pool:
        shards = pool.map(make_shard, range(world_size, world_size + 4))
    dataset = TensorDataset(torch.tensor(shards))
    for (batch,) in DataLoader(dataset, batch_size=2, num_workers=2):
        assert batch.shape == (2, 4)


if __name__ == "__main__":
    main_worker(0, 1)
