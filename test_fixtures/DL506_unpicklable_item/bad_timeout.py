"""A timeout turns the wait without end into an error."""

import torch
from torch.utils.data import DataLoader, Dataset


class Videos(Dataset):
    def __len__(self):
        return 24

    def frames(self, index):
        for number in range(4):
            yield torch.full((3, 8, 8), float(index + number))

    def __getitem__(self, index):
        return self.frames(index)  # expect: DL506


def main():
    loader = DataLoader(Videos(), batch_size=None, num_workers=2, timeout=5)
    frames = 0
    for video in loader:
        frames += sum(1 for _ in video)
    print("frames", frames)


if __name__ == "__main__":
    main()
