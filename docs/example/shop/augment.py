"""Changes photos a little, so that no epoch is like another."""

import numpy as np


class Jitter:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        return image + self.rng.normal(0, 0.1, image.shape).astype(np.float32)
