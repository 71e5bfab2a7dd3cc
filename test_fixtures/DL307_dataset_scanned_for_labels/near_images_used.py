"""A pass over the dataset that needs the images: their mean and deviation."""

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, length):
        self.seeds = list(range(length))
        self.labels = [0 if seed % 4 else 1 for seed in self.seeds]
        self.decoded = 0

    def __len__(self):
        return len(self.seeds)

    def __getitem__(self, index):
        image = torch.full((8, 8), float(self.seeds[index])).cumsum(0).sin()
        self.decoded += 1
        return image, self.labels[index]


def main():
    dataset = Images(64)
    total, squares, bright = 0.0, 0.0, []
    for image, label in dataset:
        total += image.mean().item()
        squares += image.square().mean().item()
        bright.append(label if image.max() > 0.5 else -1)
    stack = torch.stack([image for image, _ in dataset])
    mean = total / len(dataset)
    assert abs(stack.mean().item() - mean) < 1e-3 and squares / len(dataset) >= mean**2
    for images, _ in DataLoader(dataset, batch_size=8, num_workers=2):
        assert images.shape == (8, 8, 8)


if __name__ == "__main__":
    main()
