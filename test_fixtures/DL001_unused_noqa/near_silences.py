"""Comments that silence something, that are of others, or that say nothing of a rule."""

from torch.utils.data import DataLoader, RandomSampler


def make(images):
    first = DataLoader(images, sampler=RandomSampler(images), shuffle=True)  # noqa: DL301
    second = images  # noqa: E501
    text = "# noqa: DL101"
    return first, second, text  # noqa
