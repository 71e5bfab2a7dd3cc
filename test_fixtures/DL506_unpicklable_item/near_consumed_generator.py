"""Generators and lambdas are used up in the worker."""

import torch
from torch.utils.data import DataLoader, Dataset


class Videos(Dataset):
    def __len__(self):
        return 24

    def frames(self, index):
        yield from (torch.full((3, 8, 8), float(index + number)) for number in range(4))

    def __getitem__(self, index):
        brightest = max(self.frames(index), key=lambda frame: frame.mean())
        return torch.stack(tuple(frame / (1 + brightest) for frame in self.frames(index)))


def main():
    loader = DataLoader(Videos(), batch_size=4, num_workers=2)
    frames = 0
    for videos in loader:
        frames += videos.shape[0] * videos.shape[1]
    print("frames", frames)


if __name__ == "__main__":
    main()
