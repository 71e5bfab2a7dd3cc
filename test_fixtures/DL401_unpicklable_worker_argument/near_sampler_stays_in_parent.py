"""A sampler that orders by a lambda: samplers run in the main process only."""

import torch
from torch.utils.data import DataLoader, Dataset, Sampler


class OrderedSampler(Sampler):
    def __init__(self, count, key):
        self.count = count
        self.key = key

    def __len__(self):
        return self.count

    def __iter__(self):
        return iter(sorted(range(self.count), key=self.key))


class Lengths(Dataset):
    def __init__(self, lengths):
        self.lengths = lengths

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        return self.lengths[index]


def main():
    lengths = torch.tensor([5, 3, 9, 1, 7, 2, 8, 4])
    sampler = OrderedSampler(len(lengths), key=lambda position: -lengths[position].item())
    loader = DataLoader(Lengths(lengths), batch_size=4, sampler=sampler, num_workers=2)
    print([batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
