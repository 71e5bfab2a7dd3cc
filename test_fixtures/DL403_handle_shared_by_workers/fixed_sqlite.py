"""Reads rows from an SQLite database through one connection in each process."""

import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._connection = None
        self._connection_pid = None
        (self.count,) = self.connection.execute("SELECT count(*) FROM rows").fetchone()

    @property
    def connection(self):
        if self._connection_pid != os.getpid():
            self._connection = sqlite3.connect(self.path)
            self._connection_pid = os.getpid()
        return self._connection

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_connection"] = None
        state["_connection_pid"] = None
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        row = self.connection.execute("SELECT x, y FROM rows WHERE id = ?", (index,)).fetchone()
        return torch.tensor(row)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.db")
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, x REAL, y REAL)")
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", [(n, n / 2, n / 3) for n in range(200)])
        connection.commit()
        connection.close()
        loader = DataLoader(Rows(path), batch_size=10, num_workers=2)
        print("sum", sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
