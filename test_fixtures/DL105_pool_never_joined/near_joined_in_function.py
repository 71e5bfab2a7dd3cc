"""A pool for every epoch that is closed and joined before the function returns."""
import threading
from multiprocessing.pool import ThreadPool

import torch
from torch.utils.data import DataLoader, TensorDataset


def augment(image):
    return image + 0.1 * torch.randn_like(image)


def run_epoch(loader):
    pool = ThreadPool(2)
    try:
        for (images,) in loader:
            assert torch.stack(pool.map(augment, list(images))).shape == images.shape
    finally:
        pool.close()
        pool.join()


def main():
    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8)
    before = threading.active_count()
    for _epoch in range(3):
        run_epoch(loader)
    assert threading.active_count() == before


if __name__ == "__main__":
    main()
