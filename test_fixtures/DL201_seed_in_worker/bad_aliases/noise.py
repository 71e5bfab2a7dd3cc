import numpy as np

npr = np.random


def draw(shape, sigma):
    npr.seed(3)  # expect: DL201
    return npr.normal(0, sigma, shape)


class Jitter:
    def __init__(self, sigma):
        self.sigma = sigma

    def __call__(self, points):
        return points + draw(points.shape, self.sigma).astype(points.dtype)
