"""Calls .to with types and .cpu() in worker code."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        image = torch.full((64,), index).to(torch.float32)
        labels = torch.tensor(index % 10).to(dtype=torch.int64)
        return image.cpu() / 64, labels


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
