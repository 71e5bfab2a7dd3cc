"""Train on clips; a task of the pool reads all frames of its clip."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def read_frame(seed):
    return np.random.default_rng(seed).random((3, 16, 16), dtype=np.float32)


class Clips(Dataset):
    def __init__(self, indices):
        with ThreadPoolExecutor(max_workers=2) as executor:
            self.clips = list(executor.map(self.read_clip, indices))

    def read_clip(self, index):
        return np.stack([read_frame(4 * index + frame) for frame in range(4)])

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, index):
        return torch.from_numpy(self.clips[index])


def main():
    model = torch.nn.Linear(3 * 16 * 16, 2)
    for clips in DataLoader(Clips(range(16)), batch_size=4):
        model(clips.flatten(2)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
