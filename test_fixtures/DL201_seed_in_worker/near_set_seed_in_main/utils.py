import os
import random

import numpy as np
import torch


def set_seed(seed, rank=0):
    os.environ["PYTHONHASHSEED"] = str(seed)
    random.seed(seed + rank)
    np.random.seed(seed + rank)
    torch.manual_seed(seed + rank)
    torch.cuda.manual_seed_all(seed + rank)
