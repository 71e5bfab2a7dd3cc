"""NumPy's linear algebra survives a fork, however warm the parent is."""
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Whitened(Dataset):
    def __init__(self, length):
        self.rows = np.random.default_rng(0).random((length, 256, 256))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.from_numpy(self.rows[index] @ self.rows[index].T)


def main():
    whitened = Whitened(16)
    print("trace", float(whitened[0].trace()))
    for batch in DataLoader(whitened, batch_size=4, num_workers=2):
        assert batch.shape == (4, 256, 256)


if __name__ == "__main__":
    main()
