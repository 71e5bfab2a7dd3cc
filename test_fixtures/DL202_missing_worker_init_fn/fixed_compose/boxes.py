import numpy as np
from torch.utils.data import Dataset


class BoxDataset(Dataset):
    def __init__(self, length, transform=None):
        self.images = np.ones((length, 64, 64), dtype=np.float32).cumsum(1).cumsum(2)
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, area = self.images[index], np.float32(index)
        if self.transform is not None:
            image, area = self.transform(image, area)
        return image, area
