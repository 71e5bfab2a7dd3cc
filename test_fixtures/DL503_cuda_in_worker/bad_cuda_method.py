"""Calls .cuda() on each image where there is a GPU; the model is there already."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, use_gpu):
        self.use_gpu = use_gpu

    def __len__(self):
        return 64

    def __getitem__(self, index):
        image = torch.full((64,), float(index))
        if self.use_gpu:
            image = image.cuda()  # expect: DL503
        return image / 64, index % 10


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(64, 10).to(device)
    loader = DataLoader(Digits(use_gpu=torch.cuda.is_available()), batch_size=8, shuffle=True, num_workers=2)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
