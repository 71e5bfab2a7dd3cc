"""Keeps what is known of each file in an array, in the files' order."""

import torch
from torch.utils.data import DataLoader, Dataset

COUNT = 400_000


class Files(Dataset):
    def __init__(self):
        number = torch.arange(COUNT)
        self.sizes = torch.stack([number % 640, number % 480], dim=1)

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, index):
        width, height = self.sizes[index].tolist()
        return width * height


def private_megabytes():
    """Memory that this process shares with no other, in MB."""
    with open("/proc/self/smaps_rollup") as smaps:
        return sum(int(line.split()[1]) for line in smaps if line.startswith("Private_Dirty")) / 1024


def sum_and_memory(batch):
    return sum(batch), private_megabytes()


def main():
    loader = DataLoader(Files(), batch_size=4000, num_workers=1, collate_fn=sum_and_memory)
    memory = [megabytes for _, megabytes in loader]
    growth = max(memory) - memory[0]
    print("a worker grew by", round(growth), "MB in one epoch")
    print("dlint-measure:", round(growth, 1))


if __name__ == "__main__":
    main()
