"""Which loader class is made is decided in a variable; shuffle gives way to the sampler."""

import torch
from torch.utils.data import DataLoader, Dataset, distributed


class Digits(Dataset):
    def __init__(self, length):
        self.images = torch.rand(length, 16)
        self.labels = torch.arange(length) % 4

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class InfiniteDataLoader(DataLoader):
    def __iter__(self):
        while True:
            yield from super().__iter__()


def create_dataloader(dataset, batch_size, rank=-1, shuffle=False, image_weights=False):
    sampler = None if rank == -1 else distributed.DistributedSampler(dataset, 2, rank, shuffle=False)
    loader = DataLoader if image_weights else InfiniteDataLoader
    return loader(
        dataset,
        batch_size=batch_size,
        shuffle=shuffle and sampler is None,
        num_workers=2,
        sampler=sampler,
        drop_last=False,
    )


def main():
    dataset = Digits(32)
    plain = create_dataloader(dataset, 8, shuffle=True, image_weights=True)
    ranked = create_dataloader(dataset, 8, rank=0, shuffle=True)
    assert sum(len(labels) for _, labels in plain) == 32
    assert len(next(iter(ranked))[1]) == 8


if __name__ == "__main__":
    main()
