"""Puts a dataset together from what is read and how it is sampled."""

import torch
from torch.utils.data import Dataset


class Readings(Dataset):
    def __init__(self, count):
        self.values = torch.arange(float(count))

    def __len__(self):
        return len(self.values)


class PlainSampling:
    def __getitem__(self, index):
        return self.values[index]


class SquaredSampling:
    def __getitem__(self, index):
        return self.values[index] ** 2


SAMPLING = {"plain": PlainSampling, "squared": SquaredSampling}


def get_dataset(task):
    class TaskDataset(SAMPLING[task], Readings):  # expect: DL401
        pass

    return TaskDataset
