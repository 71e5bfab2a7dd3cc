"""set_epoch through loader.sampler, behind a hasattr."""

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


def run_epoch(loader, epoch):
    if hasattr(loader.sampler, "set_epoch"):
        loader.sampler.set_epoch(epoch)
    return tuple(number for numbers in loader for number in numbers.tolist())


def main():
    dataset = Numbers(32)
    loader = DataLoader(
        dataset, batch_size=4, num_workers=2, sampler=DistributedSampler(dataset, num_replicas=2, rank=0)
    )
    assert len({run_epoch(loader, epoch) for epoch in range(3)}) == 3


if __name__ == "__main__":
    main()
