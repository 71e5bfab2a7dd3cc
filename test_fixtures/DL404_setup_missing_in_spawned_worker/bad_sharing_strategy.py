"""Spawns its workers; only main changes how tensors are shared, so workers still use up file descriptors."""

import torch
import torch.multiprocessing
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        clip = torch.full((4, 8, 8), float(index))
        return clip, torch.multiprocessing.get_sharing_strategy() == "file_system"


def main():
    torch.multiprocessing.set_start_method("spawn", force=True)
    torch.multiprocessing.set_sharing_strategy("file_system")  # expect: DL404
    loader = DataLoader(Clips(), batch_size=4, num_workers=2)
    other = 0
    for clips, shared_as_files in loader:
        other += (~shared_as_files).sum().item()
    print("clips shared by file descriptor all the same:", other)
    print("dlint-measure:", other)


if __name__ == "__main__":
    main()
