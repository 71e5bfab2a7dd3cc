"""Train on photographs that OpenCV blurs and turns in the DataLoader's workers."""
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

cv2.setNumThreads(0)  # no OpenCV threads in DataLoader workers


class Photos(Dataset):
    def __init__(self, length, size=640):
        self.length = length
        self.size = size

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        image = np.random.default_rng(index).integers(0, 256, (self.size, self.size, 3), dtype=np.uint8)
        image = cv2.GaussianBlur(image, (7, 7), 0)
        turn = cv2.getRotationMatrix2D((self.size / 2, self.size / 2), 3.0 * index, 1.0)
        image = cv2.warpAffine(image, turn, (self.size, self.size))
        small = cv2.resize(image, (32, 32))
        return torch.from_numpy(small).permute(2, 0, 1).float() / 255


def main():
    photos = Photos(16)
    print("images of shape", tuple(photos[0].shape))
    loader = DataLoader(photos, batch_size=4, num_workers=2)
    model = torch.nn.Linear(3 * 32 * 32, 2)
    for images in loader:
        model(images.flatten(1)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
