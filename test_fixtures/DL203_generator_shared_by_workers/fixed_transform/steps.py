import os

import torch
from numpy.random import RandomState


class Compose:
    def __init__(self, steps):
        self.steps = list(steps)

    def __call__(self, points):
        for step in self.steps:
            points = step(points)
        return points


class Center:
    def __call__(self, points):
        return points - points.mean(0)


class Jitter:
    def __init__(self, sigma, seed):
        self.sigma = sigma
        self.seed = seed
        self.random_state = None
        self.pid = None

    def __call__(self, points):
        if self.pid != os.getpid():
            self.pid = os.getpid()
            self.random_state = RandomState((self.seed + torch.initial_seed()) % 2**32)
        return points + self.random_state.normal(0, self.sigma, points.shape).astype(points.dtype)
