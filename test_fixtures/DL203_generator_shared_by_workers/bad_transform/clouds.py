import torch
from torch.utils.data import Dataset


class Clouds(Dataset):
    def __init__(self, length, transform):
        self.points = torch.zeros(length, 4, 3).numpy()
        self.transform = transform

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        return torch.from_numpy(self.transform(self.points[index])), index % 2
