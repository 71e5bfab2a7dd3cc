import random

import torch
from numpy import random as np_random


def seed_libraries(seed):
    random.seed(seed)
    np_random.seed(seed)  # expect: DL206


def init_worker(worker_id):
    seed_libraries(torch.initial_seed())
