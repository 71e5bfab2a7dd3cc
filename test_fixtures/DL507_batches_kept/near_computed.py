"""Keeps what was computed, and numbers."""

import torch
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return torch.full((16,), float(index)), index % 10


def main():
    loader = DataLoader(Digits(), batch_size=2, num_workers=2)
    losses, means, targets = [], [], []
    for images, labels in loader:
        losses.append((images.mean() - labels.float().mean()).abs().item())
        means.append(images.mean(dim=1))
        targets.extend(labels.tolist())
        targets.extend(labels.numpy())
    print("labels", len(targets), len(losses), len(means))


if __name__ == "__main__":
    main()
