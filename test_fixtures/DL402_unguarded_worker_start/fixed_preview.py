"""Looks at one batch in the script's body, before the guarded training."""

import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(64, 5)), batch_size=8, num_workers=2)


def main():
    (preview,) = next(iter(loader))
    print("batches look like", tuple(preview.shape))
    print("rows", sum(len(batch) for (batch,) in loader))


if __name__ == "__main__":
    main()
