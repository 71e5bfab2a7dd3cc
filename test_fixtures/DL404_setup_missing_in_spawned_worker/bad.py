"""Spawns its workers; OpenCV's threads are turned off in main only."""

import multiprocessing

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Thumbnails(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, index):
        picture = np.full((256, 256, 3), index, dtype=np.uint8)
        small = cv2.resize(picture, (32, 32))
        return torch.from_numpy(small), cv2.getNumThreads()


def main():
    multiprocessing.set_start_method("spawn", force=True)
    cv2.setNumThreads(0)  # expect: DL404
    loader = DataLoader(Thumbnails(), batch_size=8, num_workers=2)
    threads = 0
    for images, thread_counts in loader:
        threads = max(threads, thread_counts.max().item())
    print("OpenCV threads in a worker:", threads)
    print("dlint-measure:", threads)


if __name__ == "__main__":
    main()
