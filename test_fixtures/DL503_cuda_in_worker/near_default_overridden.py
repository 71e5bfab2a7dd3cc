"""A transform whose device is the GPU by default, and the CPU here."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Erasing:
    """Overwrites a part of the image with noise that it makes on ``device``."""

    def __init__(self, size, device="cuda"):
        self.size = size
        self.device = device

    def __call__(self, image):
        image[: self.size] = torch.randn(self.size, device=self.device)
        return image


class Digits(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 64

    def __getitem__(self, index):
        return self.transform(torch.full((64,), float(index))), index % 10


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(64, 10).to(device)
    loader = DataLoader(Digits(Erasing(8, device="cpu")), batch_size=8, shuffle=True, num_workers=2)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
