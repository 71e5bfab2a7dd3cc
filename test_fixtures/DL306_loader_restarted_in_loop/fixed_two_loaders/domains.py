import torch
from torch.utils import data


class Domain(data.Dataset):
    def __init__(self, length, shift):
        self.rows = torch.rand(length, 2) + shift

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index], index


def make_loaders(workers=2):
    source = data.DataLoader(Domain(32, 0.0), batch_size=4, shuffle=True, num_workers=workers)
    target = data.DataLoader(Domain(32, 1.0), batch_size=4, num_workers=workers)
    return source, target
