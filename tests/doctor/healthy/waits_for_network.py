"""Each item is read from a server that has not answered yet."""

import socket

import torch
from torch.utils.data import DataLoader, Dataset

SERVER = socket.create_server(("127.0.0.1", 0))


class Remote(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, index):
        with socket.create_connection(SERVER.getsockname()) as connection:
            return torch.tensor(list(connection.makefile("rb").read(1)))


if __name__ == "__main__":
    for _ in DataLoader(Remote(), num_workers=2):
        pass
