import random

import numpy as np
import torch


def init_worker(worker_id, num_workers, rank, seed):
    """Every worker of every rank gets its own stream."""
    worker_seed = num_workers * rank + worker_id + seed
    np.random.seed(worker_seed)  # expect: DL204
    random.seed(worker_seed)
    torch.manual_seed(worker_seed)
