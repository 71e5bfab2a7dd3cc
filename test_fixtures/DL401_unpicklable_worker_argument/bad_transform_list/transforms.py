"""Transforms that are applied one after the other."""


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image


class Lambda:
    """Makes a transform of any function."""

    def __init__(self, function):
        self.function = function

    def __call__(self, image):
        return self.function(image)
