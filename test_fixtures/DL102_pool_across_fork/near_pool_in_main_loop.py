"""A pool of threads that only the parent uses, while the loader's workers are busy with something else."""
from multiprocessing.pool import ThreadPool

import torch
from torch.utils.data import DataLoader, TensorDataset


def save(step):
    torch.save({"step": step}, f"step{step}.pt")


def main():
    loader = DataLoader(TensorDataset(torch.randn(32, 8)), batch_size=8, num_workers=2)
    with ThreadPool(2) as pool:
        saves = []
        for step, (batch,) in enumerate(loader):
            assert batch.shape == (8, 8)
            saves.append(pool.apply_async(save, (step,)))
        for each in saves:
            each.get()


if __name__ == "__main__":
    main()
