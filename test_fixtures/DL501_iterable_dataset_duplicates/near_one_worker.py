"""One worker streams everything, once."""

import torch
from torch.utils.data import DataLoader, IterableDataset


class Readings(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        for number in range(self.count):
            yield torch.tensor(number)


def main():
    loader = DataLoader(Readings(100), batch_size=10, num_workers=1)
    seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("samples seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
