from numpy import random


class RandomDrop:
    def __init__(self, share):
        self.share = share

    def __call__(self, points):
        random.seed(2)  # expect: DL201
        kept = points.copy()
        kept[random.rand(len(points)) < self.share] = 0
        return kept
