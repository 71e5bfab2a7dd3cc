"""OpenCV prepares the images once, in the parent; the workers only index an array."""
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def prepare(count):
    rng = np.random.default_rng(0)
    images = [rng.integers(0, 256, (512, 512, 3), dtype=np.uint8) for _ in range(count)]
    return np.stack([cv2.resize(image, (32, 32), interpolation=cv2.INTER_AREA) for image in images])


class Prepared(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return torch.from_numpy(self.images[index]).permute(2, 0, 1).float() / 255


def main():
    loader = DataLoader(Prepared(prepare(16)), batch_size=4, num_workers=2)
    for step, images in enumerate(loader):
        tile = images[0].permute(1, 2, 0).numpy()
        cv2.imwrite(f"step{step}.png", (tile * 255).astype(np.uint8))


if __name__ == "__main__":
    main()
