"""Without shuffling every step gets the first batch again."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((3,), index / 64), index


def train(model, loader, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seen = set()
    step = 0
    batches = iter(loader)
    while step < steps:
        try:
            rows, numbers = next(batches)
        except StopIteration:
            batches = iter(loader)
            rows, numbers = next(batches)
        optimizer.zero_grad()
        model(rows).square().mean().backward()
        optimizer.step()
        seen.update(numbers.tolist())
        step += 1
    return seen


def main():
    loader = DataLoader(Rows(), batch_size=4, num_workers=2)
    seen = train(nn.Linear(3, 1), loader, steps=8)
    print(f"dlint-measure: {len(seen)}")


if __name__ == "__main__":
    main()
