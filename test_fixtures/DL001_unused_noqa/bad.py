"""A comment from the time when the loader had a sampler as well."""

from torch.utils.data import DataLoader, RandomSampler


def make(images):
    sampled = DataLoader(images, sampler=RandomSampler(images))  # noqa: DL301  # expect: DL001
    return sampled, DataLoader(images, shuffle=True)  # noqa: E501, DL999  # expect: DL001
