"""The collate function returns the batch as a tuple."""

import torch
from torch.utils.data import DataLoader, Dataset


class Videos(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        clip = torch.full((4, 3, 8, 8), float(index))
        return clip, index % 5


def collate(batch):
    return tuple(
        torch.stack(list(column)) if torch.is_tensor(column[0]) else column for column in zip(*batch)
    )


def main():
    loader = DataLoader(Videos(), batch_size=4, num_workers=2, collate_fn=collate)
    frames = 0
    for clips, labels in loader:
        frames += clips.shape[0] * clips.shape[1]
    print("frames", frames)


if __name__ == "__main__":
    main()
