import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, length):
        self.seeds = list(range(length))
        self.labels = [0 if seed % 4 else 1 for seed in self.seeds]
        self.decoded = 0

    def __len__(self):
        return len(self.seeds)

    def __getitem__(self, index):
        image = torch.full((8, 8), float(self.seeds[index])).cumsum(0).sin()
        self.decoded += 1
        return image, self.labels[index]
