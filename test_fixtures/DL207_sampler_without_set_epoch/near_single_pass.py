"""One pass over the data: there is no second epoch that could repeat the first."""

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


def main():
    dataset = Numbers(32)
    sampler = DistributedSampler(dataset, num_replicas=2, rank=0)
    loader = DataLoader(dataset, batch_size=4, num_workers=2, sampler=sampler)
    for step, numbers in enumerate(loader):
        loss = numbers.float().mean()
        assert loss >= 0 and step < 4


if __name__ == "__main__":
    main()
