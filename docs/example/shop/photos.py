"""The photos, several views of each product."""

from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

from shop.augment import Jitter
from shop.reading import read


class Photos(Dataset):
    def __init__(self, folder: str) -> None:
        self.products = sorted(Path(folder).iterdir())
        self.weights = [1.0] * len(self.products)
        self.pool = ThreadPool(4)
        self.jitter = Jitter(seed=0)

    def __len__(self) -> int:
        return len(self.products)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        views = self.pool.map(read, sorted(self.products[index].glob("*.npy")))
        return torch.from_numpy(self.jitter(np.mean(views, axis=0))), index % 10
