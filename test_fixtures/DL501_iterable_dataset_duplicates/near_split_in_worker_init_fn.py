"""Each worker's copy of the dataset is given its range in worker_init_fn."""

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Readings(IterableDataset):
    def __init__(self, count):
        self.first = 0
        self.count = count

    def __iter__(self):
        return map(torch.tensor, range(self.first, self.count))


def take_share(worker_id):
    info = get_worker_info()
    dataset = info.dataset
    share = -(-dataset.count // info.num_workers)
    dataset.first = worker_id * share
    dataset.count = min(dataset.first + share, dataset.count)


def main():
    loader = DataLoader(Readings(100), batch_size=10, num_workers=2, worker_init_fn=take_share)
    seen = torch.cat(list(loader)).tolist()
    duplicates = len(seen) - len(set(seen))
    print("samples seen:", len(seen), "of them seen before:", duplicates)
    print("dlint-measure:", duplicates)


if __name__ == "__main__":
    main()
