"""A TensorDataset of tensors that are on the GPU already, read without workers."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    images = torch.arange(64.0).unsqueeze(1).repeat(1, 64).cuda()
    labels = (torch.arange(64) % 10).cuda()
    model = nn.Linear(64, 10).cuda()
    loader = DataLoader(TensorDataset(images, labels), batch_size=8, shuffle=True)
    for image, label in loader:
        loss = nn.functional.cross_entropy(model(image), label)
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
