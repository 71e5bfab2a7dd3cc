from numpy import random


def crop_window(shape, size):
    return random.randint(shape[0] - size), random.randint(shape[1] - size)


def mirrored(probability=0.5):
    return random.rand() < probability
