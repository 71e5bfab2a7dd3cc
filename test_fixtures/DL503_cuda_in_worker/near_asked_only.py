"""Workers ask a tensor on the GPU for its size, and torch for what needs no GPU; all reading is on the CPU."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Digits(Dataset):
    def __init__(self):
        self.weights = torch.ones(64).to(DEVICE)
        self.images = (torch.arange(64.0).unsqueeze(1).repeat(1, 64).to(DEVICE) * self.weights).cpu()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        torch.cuda.empty_cache()
        size = self.weights.shape[0] if torch.cuda.is_available() else len(self.weights)
        with torch.random.fork_rng(devices=[]):
            noise = torch.rand(size)
        return self.images[index] / size + noise, index % 10


def main():
    model = nn.Linear(64, 10).to(DEVICE)
    loader = DataLoader(Digits(), batch_size=8, shuffle=True, num_workers=2, pin_memory=True)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to(DEVICE)), labels.to(DEVICE))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
