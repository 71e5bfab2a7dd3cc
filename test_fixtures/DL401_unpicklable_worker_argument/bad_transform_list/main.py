"""Trains on grey images; the transform list holds a lambda."""

import torch
from torch import nn
from torch.utils.data import DataLoader

from data import Squares
from transforms import Compose, Lambda


def main():
    to_grey = Compose(
        [
            Lambda(lambda image: image / 255),  # expect: DL401
            Lambda(torch.flatten),
        ]
    )
    loader = DataLoader(Squares(80, transform=to_grey), batch_size=16, shuffle=True, num_workers=2)
    model = nn.Linear(3 * 64, 10)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
