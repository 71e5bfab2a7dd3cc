"""Collate functions that pickle can name: a static method, a callable object, an imported function."""

import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Boxes(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.zeros(index % 3, 4)

    @staticmethod
    def collate_fn(batch):
        return torch.cat(batch)


class PadCollate:
    def __init__(self, rows):
        self.rows = rows

    def __call__(self, batch):
        return torch.stack([torch.cat([boxes, boxes.new_zeros(self.rows - len(boxes), 4)]) for boxes in batch])


def main():
    dataset = Boxes()
    flat = DataLoader(dataset, batch_size=4, num_workers=2, collate_fn=Boxes.collate_fn)
    padded = DataLoader(dataset, batch_size=4, num_workers=2, collate_fn=PadCollate(2))
    plain = DataLoader(range(32), batch_size=4, num_workers=2, collate_fn=default_collate)
    print(sum(len(batch) for batch in flat), sum(len(batch) for batch in padded), sum(len(batch) for batch in plain))


if __name__ == "__main__":
    main()
