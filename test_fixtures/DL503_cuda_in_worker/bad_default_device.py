"""Has all tensors made on the GPU, those that workers make among them."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((64,), float(index)) / 64, index % 10  # expect: DL503


def main():
    torch.set_default_device("cuda")
    model = nn.Linear(64, 10)
    loader = DataLoader(Digits(), batch_size=8, num_workers=2)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to("cuda")), labels.to("cuda"))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
