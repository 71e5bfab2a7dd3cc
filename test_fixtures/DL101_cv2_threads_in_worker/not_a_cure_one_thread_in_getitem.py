"""Train on photographs; every item asks OpenCV for one thread."""
import time

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

TURN = cv2.getRotationMatrix2D((256, 256), 10.0, 1.0)


class Photos(Dataset):
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        cv2.setNumThreads(1)  # expect: DL101
        image = np.random.default_rng(index).integers(0, 256, (512, 512, 3), dtype=np.uint8)
        image = cv2.warpAffine(image, TURN, (512, 512))
        return torch.from_numpy(image).permute(2, 0, 1).float() / 255


def main():
    photos = Photos(16)
    blank = cv2.warpAffine(np.full((512, 512, 3), 255, dtype=np.uint8), TURN, (512, 512))
    mean = blank.mean() / 255
    print(f"a turned photograph keeps {mean:.0%} of its area")
    time.sleep(0.3)  # the model is built here, and OpenCV's threads fall asleep
    model = torch.nn.Linear(3 * 512 * 512, 2)
    loader = DataLoader(photos, batch_size=4, num_workers=2)
    for images in loader:
        model(images.flatten(1) / mean).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
