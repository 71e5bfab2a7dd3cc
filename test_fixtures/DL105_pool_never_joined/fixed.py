"""Train while threads prepare the next batches: one pool, which is joined at the end."""
import threading
from multiprocessing.pool import ThreadPool

import torch
from torch.utils.data import DataLoader, TensorDataset


def augment(image):
    return image + 0.1 * torch.randn_like(image)


class BatchThreader:
    """Augments a batch in threads, while the model works on the one before."""

    def __init__(self, pool):
        self.pool = pool
        self.pending = []

    def put(self, images):
        self.pending.append(self.pool.map_async(augment, list(images)))

    def get(self):
        return torch.stack(self.pending.pop(0).get())


def main():
    loader = DataLoader(TensorDataset(torch.randn(80, 8)), batch_size=8)
    model = torch.nn.Linear(8, 2)
    before = threading.active_count()
    with ThreadPool(2) as pool:
        threader = BatchThreader(pool)
        for _epoch in range(3):
            for (images,) in loader:
                threader.put(images)
                model(threader.get()).mean().backward()
        pool.close()
        pool.join()
    print("dlint-measure:", threading.active_count() - before)


if __name__ == "__main__":
    main()
