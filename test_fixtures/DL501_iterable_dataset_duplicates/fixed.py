"""Streams readings; each worker streams its share."""

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Readings(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for number in range(first, self.count, step):
            yield torch.tensor(number)


def main():
    loader = DataLoader(Readings(100), batch_size=10, num_workers=2)
    seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("samples seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
