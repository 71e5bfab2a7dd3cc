"""Tasks of one pool wait for tasks of another: that cannot starve itself."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def read_frame(seed):
    return np.random.default_rng(seed).random((3, 8, 8), dtype=np.float32)


def main():
    with ThreadPoolExecutor(max_workers=2) as clip_threads, ThreadPoolExecutor(max_workers=2) as frame_threads:

        def read_clip(index):
            futures = [frame_threads.submit(read_frame, 4 * index + frame) for frame in range(4)]
            return np.stack([future.result() for future in futures])

        clips = np.stack(list(clip_threads.map(read_clip, range(16))))
    for (batch,) in DataLoader(TensorDataset(torch.from_numpy(clips)), batch_size=4):
        assert batch.shape == (4, 4, 3, 8, 8)


if __name__ == "__main__":
    main()
