"""A hook of another file calls set_epoch before every epoch."""

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from hooks import SamplerSeedHook


class Numbers(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.tensor(index)


class Runner:
    def __init__(self, data_loader, hooks):
        self.data_loader, self.hooks, self.epoch = data_loader, hooks, 0

    def run(self, epochs):
        orders = set()
        for self.epoch in range(epochs):
            for hook in self.hooks:
                hook.before_epoch(self)
            orders.add(tuple(n for numbers in self.data_loader for n in numbers.tolist()))
        return orders


def main():
    dataset = Numbers()
    sampler = DistributedSampler(dataset, num_replicas=2, rank=0, shuffle=True)
    loader = DataLoader(dataset, batch_size=4, num_workers=2, sampler=sampler)
    assert len(Runner(loader, [SamplerSeedHook()]).run(3)) == 3


if __name__ == "__main__":
    main()
