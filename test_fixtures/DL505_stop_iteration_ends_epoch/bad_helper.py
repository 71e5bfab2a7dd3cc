"""The iterator runs out in a helper that __getitem__ calls."""

import torch
from torch.utils.data import DataLoader, Dataset


class Mixed(Dataset):
    """Images with a noise pattern laid over each."""

    def __init__(self, images, noises):
        self.images = images
        self.patterns = iter(list(noises))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] + 0.1 * self.draw_noise()

    def draw_noise(self):
        return next(self.patterns)  # expect: DL505


def main():
    dataset = Mixed(torch.rand(96, 8, 8), torch.rand(20, 8, 8))
    loader = DataLoader(dataset, batch_size=8, num_workers=2)
    seen = sum(len(batch) for batch in loader)
    print("images in this epoch:", seen, "of", len(dataset))
    print("dlint-measure:", len(dataset) - seen)


if __name__ == "__main__":
    main()
