"""DL401 with torch: what workers could not be sent they are sent, and nothing else is different."""

from __future__ import annotations

from pathlib import Path

from tests.remedies.running.harness import before_and_after

_MAIN = """\
import argparse

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from steps import Compose, Lambda


def stack(rows, scale=1):
    return torch.stack(rows) * scale


class Numbers(Dataset):
    def __init__(self, low, transform):
        self.low = low
        self.clip = lambda value: max(value, self.low)
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        row = torch.full((2,), float(self.clip(index)))
        return self.transform(row)


def show(method, workers):
    args = argparse.ArgumentParser().parse_args([])
    args.scale = 3
    counted = [0]

    def collate(rows):
        counted[0] += 1
        return torch.stack(rows) * args.scale

    plain = [torch.full((2,), float(number)) for number in range(6)]
    context = method if workers else None
    first = DataLoader(plain, batch_size=3, num_workers=workers, multiprocessing_context=context, collate_fn=collate)
    print("keep length", len(first), len(plain))
    print([batch.tolist() for batch in first])
    print("counted", counted[0] if not workers else 0)
    halve = lambda x: x if x.abs().max() < 1 else halve(x / 2)
    small = Compose([Lambda(halve), Lambda(lambda x: torch.flatten(x)), Lambda(lambda x: x + 1)])
    second = DataLoader(
        Numbers(2, small),
        batch_size=3,
        num_workers=workers,
        multiprocessing_context=context,
        collate_fn=lambda rows: stack(rows, args.scale),
        worker_init_fn=lambda worker: np.random.seed(worker),
    )
    print([batch.tolist() for batch in second])
    args.scale = 5
    print([batch.tolist() for batch in first])
"""
_STEPS = """\
class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


class Lambda:
    def __init__(self, function):
        self.function = function

    def __call__(self, value):
        return self.function(value)
"""


def test_spawned_workers_give_what_forked_ones_gave(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"main.py": _MAIN, "steps.py": _STEPS}, "DL401")
    before, after = both.before, both.after
    assert (before.code, after.code) == (0, 0), after.errors
    for way in ("fork:0", "fork:2", "spawn:0"):
        assert before.lines[way] == after.lines[way]
    assert before.changed("spawn:2")[-1].startswith("error")
    assert after.lines["spawn:2"] == after.lines["fork:2"]
