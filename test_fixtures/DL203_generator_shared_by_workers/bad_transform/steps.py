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
        self.random_state = RandomState(seed)  # expect: DL203

    def __call__(self, points):
        return points + self.random_state.normal(0, self.sigma, points.shape).astype(points.dtype)
