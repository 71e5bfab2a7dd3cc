"""Opens the archive of readings once in each process, and reads it in the dataset."""

import atexit
import os
import shutil
import tempfile
import time

import torch
from torch.utils.data import DataLoader, Dataset

READING = 16 * 1024
FOLDER = tempfile.mkdtemp()
atexit.register(shutil.rmtree, FOLDER)
PATH = os.path.join(FOLDER, "readings.bin")


def write_readings(count):
    with open(PATH, "wb") as file:
        for number in range(count):
            file.write(torch.full((READING // 4,), number, dtype=torch.int32).numpy().tobytes())


write_readings(256)
_archives = {}


def archive():
    if os.getpid() not in _archives:
        _archives[os.getpid()] = open(PATH, "rb")
    return _archives[os.getpid()]


def read(number):
    file = archive()
    file.seek(number * READING)
    time.sleep(0.001)  # stands for a disk that is not this fast
    return torch.frombuffer(bytearray(file.read(READING)), dtype=torch.int32)


class Readings(Dataset):
    def __len__(self):
        return 250

    def __getitem__(self, index):
        values = read(index)
        return index, (values == index).all() if len(values) else False


def main():
    loader = DataLoader(Readings(), batch_size=10, shuffle=True, num_workers=2)
    wrong = 0
    for _, right in loader:
        wrong += (~right).sum().item()
    print("readings that are not the ones asked for:", wrong, "of", 250)
    print("dlint-measure:", wrong)


if __name__ == "__main__":
    main()
