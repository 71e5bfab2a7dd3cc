"""Train on crops that an executor cuts; worker_init_fn makes it in each worker."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


def crop(seed):
    rng = np.random.default_rng(seed)
    image = rng.random((3, 64, 64), dtype=np.float32)
    top, left = rng.integers(0, 32, 2)
    return image[:, top : top + 32, left : left + 32]


class Crops(Dataset):
    def __init__(self, length):
        self.length = length
        self.executor = None

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.executor is None:  # the main process
            return torch.from_numpy(np.stack([crop(2 * index + view) for view in range(2)]))
        futures = [self.executor.submit(crop, 2 * index + view) for view in range(2)]
        return torch.from_numpy(np.stack([future.result() for future in futures]))


def start_threads(worker_id):
    get_worker_info().dataset.executor = ThreadPoolExecutor(max_workers=2)


def main():
    crops = Crops(16)
    channels = crops[0].shape[1]
    model = torch.nn.Conv2d(channels, 4, 3)
    for views in DataLoader(crops, batch_size=4, num_workers=2, worker_init_fn=start_threads):
        model(views.flatten(0, 1)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
