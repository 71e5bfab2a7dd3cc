"""Distributed training, one process a rank; the sampler deals the samples out."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Numbers(Dataset):
    def __init__(self, length):
        self.numbers = torch.arange(length)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        return self.numbers[index]


def main():
    rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 2))
    dataset = Numbers(32)
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank)  # expect: DL207
    loader = DataLoader(dataset, batch_size=4, num_workers=2, sampler=sampler)
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    orders = set()
    for epoch in range(3):
        order = []
        for numbers in loader:
            optimizer.zero_grad()
            model(numbers.float().unsqueeze(1)).square().mean().backward()
            optimizer.step()
            order += numbers.tolist()
        orders.add(tuple(order))
    print(f"dlint-measure: {len(orders)}")


if __name__ == "__main__":
    main()
