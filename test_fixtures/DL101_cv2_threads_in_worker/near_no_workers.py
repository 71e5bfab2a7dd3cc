"""OpenCV's threads are welcome when the data is loaded in the main process."""
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        image = np.random.default_rng(index).integers(0, 256, (512, 512, 3), dtype=np.uint8)
        return torch.from_numpy(cv2.resize(image, (32, 32))).permute(2, 0, 1).float() / 255


def main():
    for images in DataLoader(Photos(), batch_size=4, num_workers=0):
        assert images.shape == (4, 3, 32, 32)


if __name__ == "__main__":
    main()
