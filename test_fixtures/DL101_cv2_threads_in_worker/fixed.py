"""Train on photographs that OpenCV blurs and turns in the DataLoader's workers."""
import os

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

cv2.setNumThreads(0)  # no OpenCV threads in DataLoader workers


def threads_now():
    return len(os.listdir("/proc/self/task"))


class Photos(Dataset):
    def __init__(self, length, size=640):
        self.length = length
        self.size = size

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        image = np.random.default_rng(index).integers(0, 256, (self.size, self.size, 3), dtype=np.uint8)
        before = threads_now()
        image = cv2.GaussianBlur(image, (7, 7), 0)
        turn = cv2.getRotationMatrix2D((self.size / 2, self.size / 2), 3.0 * index, 1.0)
        image = cv2.warpAffine(image, turn, (self.size, self.size))
        added = threads_now() - before
        small = cv2.resize(image, (32, 32))
        return torch.from_numpy(small).permute(2, 0, 1).float() / 255, added


def main():
    loader = DataLoader(Photos(16), batch_size=4, num_workers=2)
    model = torch.nn.Linear(3 * 32 * 32, 2)
    most = 0
    for step, (images, added) in enumerate(loader):
        model(images.flatten(1)).mean().backward()
        if step < loader.num_workers:  # each worker's first batch: later ones share its threads
            most = max(most, int(added.max()))
    print("dlint-measure:", most)


if __name__ == "__main__":
    main()
