"""A function transform given as functools.partial of a module-level function."""

import functools

import torch
from torch.utils.data import DataLoader, Dataset


class Lambda:
    def __init__(self, function):
        self.function = function

    def __call__(self, image):
        return self.function(image)


def scale(image, factor):
    return image * factor


def collate(batch, stack):
    return stack(batch)


class Blocks(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 48

    def __getitem__(self, index):
        return self.transform(torch.full((2, 2), float(index)))


def main():
    transform = Lambda(functools.partial(scale, factor=1 / 255))
    loader = DataLoader(
        Blocks(transform),
        batch_size=8,
        num_workers=2,
        collate_fn=functools.partial(collate, stack=torch.stack),
    )
    print("sum", sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
