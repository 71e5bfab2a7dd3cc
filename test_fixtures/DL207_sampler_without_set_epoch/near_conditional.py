"""set_epoch only when distributed, as the sampler is made only when distributed."""

import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Numbers(Dataset):
    def __init__(self, length):
        self.numbers = torch.arange(length)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        return self.numbers[index]


def main(world_size=2):
    distributed = world_size > 1
    dataset = Numbers(32)
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=0) if distributed else None
    loader = DataLoader(dataset, batch_size=4, shuffle=sampler is None, num_workers=2, sampler=sampler)
    orders = set()
    for epoch in range(3):
        if distributed:
            sampler.set_epoch(epoch + 100)
        orders.add(tuple(n for numbers in loader for n in numbers.tolist()))
    assert len(orders) == 3


if __name__ == "__main__":
    main()
