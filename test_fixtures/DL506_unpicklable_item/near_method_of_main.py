"""A generator method that only main calls."""

import torch
from torch.utils.data import DataLoader, Dataset


class Videos(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return torch.full((4, 3, 8, 8), float(index))

    def preview(self, count):
        return (self[index][0] for index in range(count))


def main():
    loader = DataLoader(Videos(), batch_size=4, num_workers=2)
    frames = 0
    for videos in loader:
        frames += videos.shape[0] * videos.shape[1]
    frames += sum(1 for _ in Videos().preview(2))
    print("frames", frames)


if __name__ == "__main__":
    main()
