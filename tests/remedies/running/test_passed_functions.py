"""A seeding function that was called, and is passed: every worker of every epoch has numbers of its own."""

from __future__ import annotations

from pathlib import Path

from tests.remedies.running.harness import WAYS, before_and_after

_MAIN = """\
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


class Noise(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index, np.random.rand()


def show(method, workers):
    loader = DataLoader(
        Noise(),
        num_workers=workers,
        multiprocessing_context=method if workers else None,
        worker_init_fn=seed_worker(0),
    )
    epochs = [[(index.item(), value.item()) for index, value in loader] for _ in range(2)]
    print("keep", [index for epoch in epochs for index, _ in epoch])
    print(len({value for epoch in epochs for _, value in epoch}))
"""


def test_the_function_is_passed(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"main.py": _MAIN}, "DL205")
    assert both.before.code == both.after.code == 0
    assert "worker_init_fn=seed_worker," in both.texts["main.py"]
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        # Main's own streams change: the call seeded NumPy there, which is what the rule speaks of.
        assert both.before.kept(way)[0] == both.after.kept(way)[0]
        assert both.after.changed(way) == ["8"]
