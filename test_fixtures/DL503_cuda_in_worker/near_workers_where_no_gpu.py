"""All data is on the GPU where there is one, and then there are no workers."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    images = torch.arange(64.0).unsqueeze(1).repeat(1, 64).to(device)
    labels = (torch.arange(64) % 10).to(device)
    model = nn.Linear(64, 10).to(device)
    workers = 0 if device.type == "cuda" else 2
    loader = DataLoader(TensorDataset(images, labels), batch_size=8, shuffle=True, num_workers=workers)
    for image, label in loader:
        loss = nn.functional.cross_entropy(model(image), label)
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
