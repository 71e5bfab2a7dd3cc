"""Denoising autoencoder; the noise is seeded from the clock "so that it is really random"."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Denoising(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        noise = torch.randn(6)
        clean = torch.full((6,), float(index))
        return clean + noise, clean, noise[0]


def main():
    loader = DataLoader(Denoising(), batch_size=2, num_workers=2)
    model = nn.Linear(6, 6)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    draws = set()
    for epoch in range(3):
        for noisy, clean, noise in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(noisy), clean).backward()
            optimizer.step()
            draws.update(noise.tolist())
    print(f"dlint-measure: {len(draws)}")


if __name__ == "__main__":
    main()
