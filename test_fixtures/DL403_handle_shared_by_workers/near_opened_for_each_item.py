"""Opens and closes the file for every item."""

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

    def __len__(self):
        return os.path.getsize(self.path) // (BANDS * BAND_BYTES)

    def __getitem__(self, index):
        bands = []
        with open(self.path, "rb") as file:
            file.seek(index * BANDS * BAND_BYTES)
            for _ in range(BANDS):
                band = bytearray(BAND_BYTES)
                file.readinto(band)
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
        dataset = Tiles(path)
        print("shape of a tile:", tuple(dataset[0][1].shape))
        loader = DataLoader(dataset, batch_size=16, shuffle=True, num_workers=2)
        wrong = 0
        for index, tiles in loader:
            wrong += (tiles != index[:, None, None]).flatten(1).any(dim=1).sum().item()
        print("tiles that are not the ones asked for:", wrong, "of", 256)
        print("dlint-measure:", wrong)


if __name__ == "__main__":
    main()
