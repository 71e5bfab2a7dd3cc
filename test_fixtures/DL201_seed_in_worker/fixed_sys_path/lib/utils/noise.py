import torch
from torch import manual_seed

SEED = 5


def perturb(row):
    return row + 0.1 * torch.randn(len(row))
