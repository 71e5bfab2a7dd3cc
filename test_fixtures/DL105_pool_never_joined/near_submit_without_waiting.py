"""A task gives a further task to its own pool, and does not wait for it."""
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, TensorDataset


class Writer:
    def __init__(self):
        self.executor = ThreadPoolExecutor(max_workers=2)
        self.written = []

    def prepare(self, batch):
        return self.executor.submit(self.write, float(batch.mean()))

    def write(self, mean):
        self.written.append(mean)


def main():
    writer = Writer()
    futures = []
    for (batch,) in DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8):
        futures.append(writer.executor.submit(writer.prepare, batch))
    for future in futures:
        future.result().result()
    writer.executor.shutdown()
    assert len(writer.written) == 8


if __name__ == "__main__":
    main()
