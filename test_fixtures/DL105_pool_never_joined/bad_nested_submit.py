"""Train on clips; a task of the pool gives its frames to the same pool and waits for them."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def read_frame(seed):
    return np.random.default_rng(seed).random((3, 16, 16), dtype=np.float32)


class Clips(Dataset):
    def __init__(self, indices):
        self.executor = ThreadPoolExecutor(max_workers=2)
        self.clips = list(self.executor.map(self.read_clip, indices))

    def read_clip(self, index):
        frames = [self.executor.submit(read_frame, 4 * index + frame) for frame in range(4)]  # expect: DL105
        return np.stack([frame.result() for frame in frames])

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
