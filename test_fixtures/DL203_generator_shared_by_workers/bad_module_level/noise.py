import random

_rng = random.Random(7)  # expect: DL203


def drop_words(words):
    rate = _rng.random()
    kept = words.clone()
    for position in range(len(kept)):
        if _rng.random() < 0.3 * rate:
            kept[position] = 0
    return kept, rate
