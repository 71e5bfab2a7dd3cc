"""Train on groups of a table that polars sorts; the parent has sorted once to see the columns."""
import numpy as np
import polars as pl
import torch
from torch.utils.data import DataLoader, Dataset


def table(seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"user": rng.integers(0, 50, 100_000), "time": rng.random(100_000)})


class Sessions(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        rows = table(index).sort("user", "time")  # expect: DL106
        return torch.from_numpy(rows["time"].head(64).to_numpy().copy()).float()


def main():
    print(table(0).sort("user", "time").head(3))
    model = torch.nn.Linear(64, 2)
    for batch in DataLoader(Sessions(), batch_size=4, num_workers=2):
        model(batch).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
