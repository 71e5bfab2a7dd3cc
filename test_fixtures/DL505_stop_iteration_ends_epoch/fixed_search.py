"""Looks for the first pattern that is dark enough; where there is none, takes the last."""

import torch
from torch.utils.data import DataLoader, Dataset


class Mixed(Dataset):
    """Images with a noise pattern laid over each."""

    def __init__(self, images, noises):
        self.images = images
        self.noises = noises

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        wanted = 0.3 + index / 96
        noise = next((noise for noise in self.noises if noise.mean() > wanted), self.noises[-1])
        return self.images[index] + 0.1 * noise


def main():
    dataset = Mixed(torch.rand(96, 8, 8), torch.rand(20, 8, 8))
    loader = DataLoader(dataset, batch_size=8, num_workers=2)
    seen = sum(len(batch) for batch in loader)
    print("images in this epoch:", seen, "of", len(dataset))
    print("dlint-measure:", len(dataset) - seen)


if __name__ == "__main__":
    main()
