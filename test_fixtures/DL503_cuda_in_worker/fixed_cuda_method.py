"""Leaves the images on the CPU, in pinned memory; the training loop moves them."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        image = torch.full((64,), float(index))
        return image / 64, index % 10


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(64, 10).to(device)
    loader = DataLoader(
        Digits(), batch_size=8, shuffle=True, num_workers=2, pin_memory=torch.cuda.is_available()
    )
    for images, labels in loader:
        loss = nn.functional.cross_entropy(
            model(images.to(device, non_blocking=True)), labels.to(device, non_blocking=True)
        )
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
