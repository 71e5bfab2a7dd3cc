"""Encodes each batch with a network on the GPU, in the training loop."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self):
        self.images = torch.arange(64.0).unsqueeze(1).repeat(1, 64)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], index % 10


def main():
    encoder = nn.Linear(64, 16).to("cuda")
    head = nn.Linear(16, 10).to("cuda")
    loader = DataLoader(Digits(), batch_size=8, shuffle=True, num_workers=2)
    for images, labels in loader:
        with torch.no_grad():
            codes = encoder(images.to("cuda"))
        loss = nn.functional.cross_entropy(head(codes), labels.to("cuda"))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
