import numpy as np
import numpy.random as npr


class RandomRotate:
    def __call__(self, points):
        angle = npr.uniform(0, 2 * np.pi)
        cos, sin = np.cos(angle), np.sin(angle)
        turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]], dtype=points.dtype)
        return points @ turn
