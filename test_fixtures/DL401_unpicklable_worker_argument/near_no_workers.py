"""The loader has no workers: nothing is pickled."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    points = TensorDataset(torch.rand(64, 3))

    def stack(batch):
        return torch.stack([row[0] for row in batch])

    loader = DataLoader(points, batch_size=8, collate_fn=stack)
    check = DataLoader(points, batch_size=8, num_workers=0, collate_fn=lambda batch: len(batch))
    print(sum(len(batch) for batch in loader), sum(check))


if __name__ == "__main__":
    main()
