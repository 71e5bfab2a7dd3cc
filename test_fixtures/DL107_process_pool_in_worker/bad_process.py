"""Train on rows; every item starts a process, so that a crash of the decoder does no harm."""
import multiprocessing

import torch
from torch.utils.data import DataLoader, Dataset


def decode(index, sending):
    sending.send([float(index)] * 8)


class Isolated(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        receiving, sending = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=decode, args=(index, sending))  # expect: DL107
        process.start()
        row = receiving.recv()
        process.join()
        return torch.tensor(row)


def main():
    model = torch.nn.Linear(8, 2)
    for rows in DataLoader(Isolated(), batch_size=4, num_workers=2):
        model(rows).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
