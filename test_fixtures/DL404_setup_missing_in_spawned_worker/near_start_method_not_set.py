"""Sets up OpenCV in main and says nothing of the start method."""

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Blurred(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.from_numpy(cv2.blur(np.full((16, 16), index, dtype=np.uint8), (3, 3)))


def main():
    cv2.setNumThreads(0)
    cv2.ocl.setUseOpenCL(False)
    loader = DataLoader(Blurred(), batch_size=8, num_workers=2)
    print(sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
