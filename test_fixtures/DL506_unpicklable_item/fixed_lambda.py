"""Returns with each clip the two numbers that undo the normalisation."""

import torch
from torch.utils.data import DataLoader, Dataset


class Videos(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        clip = torch.full((4, 3, 8, 8), float(index))
        mean, scale = clip.mean(), 1 + clip.std()
        return (clip - mean) / scale, (mean, scale)


def main():
    loader = DataLoader(Videos(), batch_size=4, num_workers=2, collate_fn=list)
    frames = 0
    for batch in loader:
        frames += sum(len(clip * scale + mean) for clip, (mean, scale) in batch)
    print("frames", frames)


if __name__ == "__main__":
    main()
