"""Train on clips whose frames the worker reads itself."""
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def read_frame(seed):
    return np.random.default_rng(seed).random((3, 16, 16), dtype=np.float32)


def read_clip(seeds):
    return [read_frame(seed) for seed in seeds]


class Clips(Dataset):
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        seeds = range(4 * index, 4 * index + 4)
        begin = time.perf_counter()
        frames = read_clip(seeds)
        middle = time.perf_counter()
        for seed in seeds:
            read_frame(seed)
        end = time.perf_counter()
        return torch.from_numpy(np.stack(frames)), (middle - begin) / (end - middle)


def main():
    loader = DataLoader(Clips(128), batch_size=16, num_workers=1)
    ratios = torch.cat([ratio for _, ratio in loader])
    print("dlint-measure:", round(float(ratios.median()), 1))


if __name__ == "__main__":
    main()
