"""Pools without a size, and pools that nobody ends, run before and after their repair."""

from __future__ import annotations

from pathlib import Path

from tests.remedies.running.harness import WAYS, before_and_after

_UNBOUNDED = """\
from concurrent.futures import ThreadPoolExecutor

from torch.utils.data import Dataset


def double(number):
    return 2 * number


class Numbers(Dataset):
    def __init__(self):
        self.executor = None

    def __len__(self):
        return 8

    def __getitem__(self, index):
        with ThreadPoolExecutor() as executor:
            return sum(executor.map(double, range(index))), executor._max_workers
"""
_SHOW_UNBOUNDED = """\
from torch.utils.data import DataLoader

from numbers_data import Numbers


def show(method, workers):
    loader = DataLoader(Numbers(), batch_size=4, num_workers=workers, multiprocessing_context=method if workers else None)
    for numbers, threads in loader:
        print("keep", numbers.tolist())
        print(threads.max().item())
"""


def test_a_bounded_pool_gives_the_same(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"numbers_data.py": _UNBOUNDED, "main.py": _SHOW_UNBOUNDED}, "DL104")
    assert both.before.code == both.after.code == 0
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way) == both.after.kept(way)
        assert both.after.changed(way) == ["4", "4"] != both.before.changed(way)


_NEVER_ENDED = """\
import threading
from multiprocessing.pool import ThreadPool

import torch
from torch.utils.data import DataLoader

NUMBERS = torch.arange(12)


def double(number):
    return 2 * number


def train(loader, pools):
    total = 0
    for batch in loader:
        pool = ThreadPool(2)
        doubled = pool.imap(double, batch.tolist())
        pools.append(len(threading.enumerate()))
        for number in doubled:
            total += number
        total += 1
    return total


def show(method, workers):
    pools = []
    loader = DataLoader(NUMBERS, batch_size=4, num_workers=workers, multiprocessing_context=method if workers else None)
    print("keep", train(loader, pools))
    print(max(pools) - min(pools))
"""


def test_a_pool_of_each_batch_ends_with_it(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"main.py": _NEVER_ENDED}, "DL105")
    assert both.before.code == both.after.code == 0
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way) == both.after.kept(way)
        assert both.after.changed(way) == ["0"]
    assert "pool.join()" in both.texts["main.py"]
