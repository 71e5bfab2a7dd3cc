import random

import numpy as np
import torch

import noise
from drop import RandomDrop
from rotate import RandomRotate


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, points):
        for step in self.steps:
            points = step(points)
        return points


def build_transform():
    return Compose([RandomRotate(), RandomDrop(0.25), noise.Jitter(0.01)])
