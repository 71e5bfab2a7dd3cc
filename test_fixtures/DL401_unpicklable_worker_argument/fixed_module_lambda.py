"""A lambda at module level has no name that pickle could look up."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def first_column(batch):
    return torch.stack([row[0] for row in batch])


def main():
    table = TensorDataset(torch.arange(120.0).reshape(60, 2))
    loader = DataLoader(table, batch_size=6, num_workers=2, collate_fn=first_column)
    print("rows", sum(len(batch) for batch in loader))


if __name__ == "__main__":
    main()
