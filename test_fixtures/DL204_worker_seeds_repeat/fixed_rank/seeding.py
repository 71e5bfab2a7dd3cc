import random

import numpy as np
import torch


def init_worker(worker_id, num_workers, rank, seed):
    """Every worker of every rank gets its own stream."""
    worker_seed = (torch.initial_seed() + num_workers * rank + seed) % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)
    torch.manual_seed(worker_seed)
