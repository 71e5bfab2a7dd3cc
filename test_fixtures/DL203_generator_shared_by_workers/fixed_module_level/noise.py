import functools
import os
import random

import torch


@functools.lru_cache(maxsize=1)
def _rng_of(pid):
    return random.Random(torch.initial_seed())


def drop_words(words):
    rng = _rng_of(os.getpid())
    rate = rng.random()
    kept = words.clone()
    for position in range(len(kept)):
        if rng.random() < 0.3 * rate:
            kept[position] = 0
    return kept, rate
