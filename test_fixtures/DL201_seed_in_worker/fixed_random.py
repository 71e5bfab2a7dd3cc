"""Random flips and crops written as transform classes, for a toy classifier."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image


class RandomBrightness:
    def __init__(self, amount):
        self.amount = amount

    def __call__(self, image):
        return image + random.uniform(-self.amount, self.amount)


class Normalize:
    def __call__(self, image):
        return (image - 0.5) / 0.5


class Shapes(Dataset):
    def __init__(self, length, transform):
        self.images = torch.zeros(length, 4, 4)
        self.labels = torch.arange(length) % 2
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]


def main():
    transform = Compose([RandomBrightness(0.3), Normalize()])
    loader = DataLoader(Shapes(8, transform), batch_size=2, num_workers=2)
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    brightness = []
    for epoch in range(3):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
            brightness += images[:, 0, 0].tolist()
    print(f"dlint-measure: {len(set(brightness))}")


if __name__ == "__main__":
    main()
