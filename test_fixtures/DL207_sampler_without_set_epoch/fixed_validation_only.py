"""set_epoch is called, but on the wrong sampler."""

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
    world_size = int(os.environ.get("WORLD_SIZE", 2))
    train_set, val_set = Numbers(32), Numbers(8)
    train_sampler = DistributedSampler(train_set, num_replicas=world_size, rank=0)
    val_sampler = DistributedSampler(val_set, num_replicas=world_size, rank=0, shuffle=False)
    train_loader = DataLoader(train_set, batch_size=4, num_workers=2, sampler=train_sampler)
    val_loader = DataLoader(val_set, batch_size=4, num_workers=2, sampler=val_sampler)
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    orders = set()
    for epoch in range(3):
        train_sampler.set_epoch(epoch)
        order = []
        for numbers in train_loader:
            optimizer.zero_grad()
            model(numbers.float().unsqueeze(1)).square().mean().backward()
            optimizer.step()
            order += numbers.tolist()
        orders.add(tuple(order))
        assert sum(len(numbers) for numbers in val_loader) == 4
    print(f"dlint-measure: {len(orders)}")


if __name__ == "__main__":
    main()
