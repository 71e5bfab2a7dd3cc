"""Train on photographs; the helper module turns OpenCV's threads off when it is imported."""
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from imaging import load


class Photos(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        image = np.random.default_rng(index).integers(0, 256, (512, 512, 3), dtype=np.uint8)
        image = cv2.GaussianBlur(load(image), (3, 3), 0)
        return torch.from_numpy(image).permute(2, 0, 1).float() / 255


def main():
    photos = Photos()
    photos[0]
    for images in DataLoader(photos, batch_size=4, num_workers=2):
        assert images.shape == (4, 3, 64, 64)


if __name__ == "__main__":
    main()
