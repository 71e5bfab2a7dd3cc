"""Encodes each image with a network on the GPU, in a worker."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Encoded(Dataset):
    def __init__(self, encoder):
        self.encoder = encoder
        self.images = torch.arange(64.0).unsqueeze(1).repeat(1, 64)

    def __len__(self):
        return len(self.images)

    @torch.no_grad()
    def __getitem__(self, index):
        image = self.images[index].to("cuda")  # expect: DL503
        return self.encoder(image).cpu(), index % 10


def main():
    encoder = nn.Linear(64, 16).to("cuda")  # expect: DL503
    head = nn.Linear(16, 10).to("cuda")
    loader = DataLoader(Encoded(encoder), batch_size=8, shuffle=True, num_workers=2)
    for codes, labels in loader:
        loss = nn.functional.cross_entropy(head(codes.to("cuda")), labels.to("cuda"))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
