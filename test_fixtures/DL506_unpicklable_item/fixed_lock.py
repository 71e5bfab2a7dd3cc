"""Main makes the locks for the clips that arrive."""

import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Videos(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return {"clip": torch.zeros(4, 3, 8, 8)}


def main():
    loader = DataLoader(Videos(), batch_size=4, num_workers=2, collate_fn=list)
    frames = 0
    for batch in loader:
        for item in batch:
            item["lock"] = threading.Lock()
            with item["lock"]:
                frames += len(item["clip"])
    print("frames", frames)


if __name__ == "__main__":
    main()
