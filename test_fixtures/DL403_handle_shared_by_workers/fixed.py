"""Reads satellite tiles, band by band, from one file that the dataset opens when it is made."""

import os
import tempfile
import time

import torch
from torch.utils.data import DataLoader, Dataset

BANDS = 4
BAND_BYTES = 16 * 1024


class Tiles(Dataset):
    def __init__(self, path):
        self.path = path
        self._file_by_pid = {}

    @property
    def file(self):
        # Workers cannot share a handle: each process opens its own.
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = open(self.path, "rb")
        return self._file_by_pid[pid]

    def __getstate__(self):
        return {**self.__dict__, "_file_by_pid": {}}

    def __len__(self):
        return os.path.getsize(self.path) // (BANDS * BAND_BYTES)

    def __getitem__(self, index):
        self.file.seek(index * BANDS * BAND_BYTES)
        bands = []
        for _ in range(BANDS):
            band = bytearray(BAND_BYTES)
            self.file.readinto(band)
            time.sleep(0.0005)  # stands for a disk that is not this fast
            bands.append(torch.frombuffer(band, dtype=torch.int32))
        return index, torch.stack(bands)


def write_tiles(path, count):
    with open(path, "wb") as file:
        for number in range(count):
            tile = torch.full((BANDS * BAND_BYTES // 4,), number, dtype=torch.int32)
            file.write(tile.numpy().tobytes())


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tiles.bin")
        write_tiles(path, 256)
        loader = DataLoader(Tiles(path), batch_size=16, shuffle=True, num_workers=2)
        wrong = 0
        for index, tiles in loader:
            wrong += (tiles != index[:, None, None]).flatten(1).any(dim=1).sum().item()
        print("tiles that are not the ones asked for:", wrong, "of", 256)
        print("dlint-measure:", wrong)


if __name__ == "__main__":
    main()
