"""Made at the first use in each process, and the training process never reads an item."""

import numpy as np
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __init__(self):
        self.rng = None

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng(get_worker_info().seed)
        return self.rng.normal()


def main():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2)
    draws = [value for _ in range(3) for batch in loader for value in batch.tolist()]
    assert len(set(draws)) == 24


if __name__ == "__main__":
    main()
