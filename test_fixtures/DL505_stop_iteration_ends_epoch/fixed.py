"""Takes a noise pattern for each image by position, beginning again at the end."""

import torch
from torch.utils.data import DataLoader, Dataset


class Mixed(Dataset):
    """Images with a noise pattern laid over each."""

    def __init__(self, images, noises):
        self.images = images
        self.noises = list(noises)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        noise = self.noises[index % len(self.noises)]
        return self.images[index] + 0.1 * noise


def main():
    dataset = Mixed(torch.rand(96, 8, 8), torch.rand(20, 8, 8))
    loader = DataLoader(dataset, batch_size=8, num_workers=2)
    seen = sum(len(batch) for batch in loader)
    print("images in this epoch:", seen, "of", len(dataset))
    print("dlint-measure:", len(dataset) - seen)


if __name__ == "__main__":
    main()
