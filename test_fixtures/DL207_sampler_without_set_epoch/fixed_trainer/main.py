"""The loader is made here, the epochs run in a trainer of another file, which never sets the epoch."""

import os

import torch
from torch import nn
from torch.utils import data

from trainer import Trainer


class Numbers(data.Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.tensor(index)


def prepare(dataset, batch_size):
    world_size = int(os.environ.get("WORLD_SIZE", 2))
    return data.DataLoader(
        dataset,
        batch_size=batch_size,
        shuffle=False,
        num_workers=2,
        sampler=data.distributed.DistributedSampler(dataset, num_replicas=world_size, rank=0),
    )


def main():
    trainer = Trainer(nn.Linear(1, 1), prepare(Numbers(), batch_size=4))
    trainer.train(epochs=3)
    print(f"dlint-measure: {len(trainer.orders)}")


if __name__ == "__main__":
    main()
