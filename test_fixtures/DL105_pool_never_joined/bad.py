"""Train while threads prepare the next batches: a new pool for every batch, and nobody ends it."""
import threading
from multiprocessing.pool import ThreadPool

import torch
from torch.utils.data import DataLoader, TensorDataset


def augment(image):
    return image + 0.1 * torch.randn_like(image)


class BatchThreader:
    """Augments a batch in threads, while the model works on the one before."""

    def __init__(self):
        self.pools = []
        self.pending = []

    def put(self, images):
        pool = ThreadPool(2)  # expect: DL105
        self.pools.append(pool)
        self.pending.append(pool.map_async(augment, list(images)))

    def get(self):
        return torch.stack(self.pending.pop(0).get())


def main():
    loader = DataLoader(TensorDataset(torch.randn(80, 8)), batch_size=8)
    model = torch.nn.Linear(8, 2)
    threader = BatchThreader()
    before = threading.active_count()
    for _epoch in range(3):
        for (images,) in loader:
            threader.put(images)
            model(threader.get()).mean().backward()
    print("dlint-measure:", threading.active_count() - before)


if __name__ == "__main__":
    main()
