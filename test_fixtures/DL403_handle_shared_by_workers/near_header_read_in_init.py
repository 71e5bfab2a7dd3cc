"""Opens the file in __init__ only to read its index, and closes it there."""

import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset

BANDS = 4
BAND_BYTES = 16 * 1024


class Tiles(Dataset):
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.first_band = torch.frombuffer(bytearray(file.read(BAND_BYTES)), dtype=torch.int32)
        last = open(path, "rb")
        last.seek(-BAND_BYTES, os.SEEK_END)
        self.last_band = torch.frombuffer(bytearray(last.read()), dtype=torch.int32)
        last.close()

    def __len__(self):
        return os.path.getsize(self.path) // (BANDS * BAND_BYTES)

    def __getitem__(self, index):
        share = index / (len(self) - 1)
        band = torch.lerp(self.first_band.double(), self.last_band.double(), share).round().int()
        return index, torch.stack([band] * BANDS)


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
