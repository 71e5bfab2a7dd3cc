"""Maps the file with numpy.memmap, which has no position that workers could share."""

import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

BANDS = 4
BAND_BYTES = 16 * 1024


class Tiles(Dataset):
    def __init__(self, path):
        self.path = path
        self.tiles = np.memmap(path, dtype=np.int32, mode="r").reshape(-1, BANDS, BAND_BYTES // 4)

    def __len__(self):
        return len(self.tiles)

    def __getitem__(self, index):
        return index, torch.from_numpy(np.array(self.tiles[index]))


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
