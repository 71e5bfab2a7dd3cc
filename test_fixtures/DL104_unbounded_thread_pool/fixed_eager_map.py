"""Train on a long stream; a window of futures runs ahead of the reader."""
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

LENGTH = 20_000


def read(index):
    return torch.full((8,), float(index))


class Stream(IterableDataset):
    def __init__(self):
        self.submitted = 0

    def indices(self):
        info = get_worker_info()
        for index in range(info.id, LENGTH, info.num_workers):
            self.submitted += 1
            yield index

    def __iter__(self):
        with ThreadPoolExecutor(max_workers=2) as executor:
            given = 0
            waiting = deque()
            for index in self.indices():
                waiting.append(executor.submit(read, index))
                if len(waiting) == 16:  # no more than this many ahead of the reader
                    yield waiting.popleft().result(), self.submitted - given
                    given += 1
            for future in waiting:
                yield future.result(), self.submitted - given
                given += 1


def main():
    model = torch.nn.Linear(8, 2)
    most = 0
    for rows, waiting in DataLoader(Stream(), batch_size=500, num_workers=2):
        model(rows).mean().backward()
        most = max(most, int(waiting.max()))
    print("dlint-measure:", most)


if __name__ == "__main__":
    main()
