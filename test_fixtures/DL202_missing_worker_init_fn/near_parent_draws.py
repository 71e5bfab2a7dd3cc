"""NumPy draws only where the training process runs: constructor, batch sampler, training loop."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Subset(Dataset):
    def __init__(self, length):
        self.picked = np.random.permutation(length)[: length // 2]

    def __len__(self):
        return len(self.picked)

    def __getitem__(self, index):
        return torch.tensor(int(self.picked[index]))

    def show_random(self):
        return self[np.random.randint(len(self))]


class RandomBatches:
    def __init__(self, length, size):
        self.length, self.size = length, size

    def __len__(self):
        return self.length // self.size

    def __iter__(self):
        order = np.random.permutation(self.length)
        for start in range(0, self.length, self.size):
            yield order[start : start + self.size].tolist()


def main():
    np.random.seed(0)
    dataset = Subset(16)
    assert dataset.show_random() < 16
    loader = DataLoader(dataset, batch_sampler=RandomBatches(8, 2), num_workers=2)
    for batch in loader:
        mixed = batch * np.random.beta(1, 1)
        assert mixed.shape == (2,)


if __name__ == "__main__":
    main()
