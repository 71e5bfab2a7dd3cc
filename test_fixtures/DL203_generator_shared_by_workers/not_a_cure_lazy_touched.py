"""Made at the first use, "so that every worker makes its own", but the parent reads an item first."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Erased(Dataset):
    def __init__(self, length):
        self.images = np.ones((length, 8, 8), dtype=np.float32)
        self.rng = None

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng()  # expect: DL203
        image = self.images[index].copy()
        strength = self.rng.random()
        top = self.rng.integers(4)
        image[top : top + 4] *= strength
        return image, index % 2, strength


def main():
    dataset = Erased(8)
    sample = dataset[0]
    print("training on images of shape", sample[0].shape)
    loader = DataLoader(dataset, batch_size=2, num_workers=2)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    strengths = set()
    for epoch in range(3):
        for images, labels, strength in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
            strengths.update(strength.tolist())
    print(f"dlint-measure: {len(strengths)}")


if __name__ == "__main__":
    main()
