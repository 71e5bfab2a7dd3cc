"""Moves to where another tensor of the dataset is, which is the CPU."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self):
        self.mean = torch.tensor(32.0)

    def __len__(self):
        return 64

    def __getitem__(self, index):
        image = torch.full((64,), float(index)).to(self.mean.device)
        weights = torch.ones(64, device=image.device).type_as(self.mean)
        return (image - self.mean) * weights, index % 10


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(64, 10).to(device)
    loader = DataLoader(Digits(), batch_size=8, shuffle=True, num_workers=2)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
