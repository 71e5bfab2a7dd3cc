"""Counts frames that come out wrong; the file is opened by the dataset's reader, in another module."""

import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset

from reader import FRAME, FrameReader


class Recording(Dataset):
    def __init__(self, path, frames):
        self.reader = FrameReader(path)
        self.frames = frames

    def __len__(self):
        return self.frames

    def __getitem__(self, index):
        return index, self.reader.frame(index)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recording.raw")
        with open(path, "wb") as file:
            for number in range(256):
                file.write(torch.full((FRAME // 4,), number, dtype=torch.int32).numpy().tobytes())
        loader = DataLoader(Recording(path, 256), batch_size=16, shuffle=True, num_workers=2)
        wrong = 0
        for index, frames in loader:
            wrong += (frames != index[:, None]).any(dim=1).sum().item()
        print("frames that are not the ones asked for:", wrong, "of", 256)
        print("dlint-measure:", wrong)


if __name__ == "__main__":
    main()
