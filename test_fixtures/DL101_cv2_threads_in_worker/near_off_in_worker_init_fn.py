"""OpenCV's threads are turned off where every worker begins."""
import random

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def worker_init_fn(worker_id):
    cv2.setNumThreads(0)
    cv2.ocl.setUseOpenCL(False)
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


class Photos(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        image = np.random.randint(0, 256, (512, 512, 3), dtype=np.uint8)
        if random.random() < 0.5:
            image = cv2.flip(image, 1)
        image = cv2.resize(image, (64, 64), interpolation=cv2.INTER_AREA)
        return torch.from_numpy(image).permute(2, 0, 1).float() / 255


def main():
    photos = Photos()
    photos[0]
    for images in DataLoader(photos, batch_size=4, num_workers=2, worker_init_fn=worker_init_fn):
        assert images.shape == (4, 3, 64, 64)


if __name__ == "__main__":
    main()
