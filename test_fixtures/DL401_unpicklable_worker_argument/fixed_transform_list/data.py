"""The dataset: coloured squares and their labels."""

import torch
from torch.utils.data import Dataset


class Squares(Dataset):
    def __init__(self, count, transform=None):
        self.images = torch.arange(count * 3 * 64, dtype=torch.float32).reshape(count, 3, 8, 8)
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        if self.transform is not None:
            image = self.transform(image)
        return image, index % 10
