import torch
from torch import manual_seed

SEED = 5


def perturb(row):
    manual_seed(SEED)  # expect: DL201
    return row + 0.1 * torch.randn(len(row))
