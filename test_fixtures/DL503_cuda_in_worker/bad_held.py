"""Keeps all images on the GPU, where forked workers cannot read them."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Digits(Dataset):
    def __init__(self):
        images = torch.arange(64.0).unsqueeze(1).repeat(1, 64)
        self.images = images.to(DEVICE)  # expect: DL503

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] / 64, index % 10


def main():
    model = nn.Linear(64, 10).to(DEVICE)
    loader = DataLoader(Digits(), batch_size=8, shuffle=True, num_workers=2)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to(DEVICE)), labels.to(DEVICE))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
