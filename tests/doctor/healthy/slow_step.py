"""The training step is slow: the workers wait for work."""

import time

from torch.utils.data import DataLoader

if __name__ == "__main__":
    for _ in DataLoader(list(range(10_000)), num_workers=2):
        begin = time.process_time()
        while time.process_time() - begin < 1:
            sum(range(10_000))
