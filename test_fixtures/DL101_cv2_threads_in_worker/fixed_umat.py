"""Train on photographs that OpenCV blurs through OpenCL (cv2.UMat)."""
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

cv2.setNumThreads(0)  # no OpenCV threads in DataLoader workers
cv2.ocl.setUseOpenCL(False)  # OpenCL hangs in forked workers


def blur(image):
    return cv2.GaussianBlur(cv2.UMat(image), (7, 7), 0).get()


class Photos(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        image = np.random.default_rng(index).integers(0, 256, (512, 512, 3), dtype=np.uint8)
        return torch.from_numpy(blur(image)).permute(2, 0, 1).float() / 255


def main():
    photos = Photos()
    print("images of shape", tuple(photos[0].shape))
    model = torch.nn.Linear(3 * 512 * 512, 2)
    for images in DataLoader(photos, batch_size=4, num_workers=2):
        model(images.flatten(1)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
