"""Trains a small text classifier; the batches are padded by a lambda."""

import functools

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PADDING = 0


class Sentences(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        words = torch.arange(1, 4 + index % 5)
        return words, index % 2


def pad(words, length):
    return nn.functional.pad(words[:length], (0, max(0, length - len(words))), value=PADDING)


def collate_fn(batch, max_length):
    return (
        torch.stack([pad(words, max_length) for words, _ in batch]),
        torch.tensor([label for _, label in batch]),
    )


def main():
    max_length = 12
    loader = DataLoader(
        Sentences(64),
        batch_size=8,
        shuffle=True,
        num_workers=2,
        collate_fn=functools.partial(collate_fn, max_length=max_length),
    )
    model = nn.Sequential(nn.Embedding(16, 8), nn.Flatten(), nn.Linear(8 * max_length, 2))
    for words, labels in loader:
        loss = nn.functional.cross_entropy(model(words), labels)
        loss.backward()
    print("trained, last loss", loss.item())


if __name__ == "__main__":
    main()
