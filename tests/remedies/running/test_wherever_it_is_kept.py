"""Generators, handles and functions that a class, a record or another object keeps, before and after."""

from __future__ import annotations

from pathlib import Path

from tests.remedies.running.harness import WAYS, before_and_after

_FORKED, _SPAWNED = "fork:2", "spawn:2"

_NOISE = """\
from dataclasses import dataclass, field

import numpy as np
import torch
from torch.utils.data import Dataset


@dataclass
class Shift:
    size: int = 1
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))

    def __call__(self):
        return self.size * self.rng.random()


@dataclass
class Late:
    seed: int = 4
    rng: np.random.RandomState = field(init=False, repr=False)

    def __post_init__(self):
        self.rng = np.random.RandomState(self.seed)

    def __call__(self):
        return self.rng.rand()


class Shared:
    generator = torch.Generator().manual_seed(5)
    rng = np.random.default_rng(6)

    def __call__(self):
        return torch.rand(1, generator=self.generator, dtype=torch.float64).item() + self.rng.random()


class Given:
    def __init__(self, rng=None):
        self.rng = rng or np.random.default_rng(7)

    def __call__(self):
        return self.rng.integers(2**40) / 2**40


class Noise(Dataset):
    def __init__(self):
        rng = np.random.default_rng(8)
        self.order = rng.permutation(8).tolist()
        self.parts = [Shift(), Late(), Shared(), Given(), Given(rng), Given(rng)]

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor([part() for part in self.parts], dtype=torch.float64)
"""
_SHOW_NOISE = """\
import torch
from torch.utils.data import DataLoader

from noise import Noise


def show(method, workers):
    data = Noise()
    print("keep", data.order, data.parts[:2])
    if not workers:
        print("keep", [data[0].tolist() for _ in range(3)])
    loader = DataLoader(data, num_workers=workers, multiprocessing_context=method if workers else None)
    for epoch in range(2):
        for batch in loader:
            print(*batch[0].tolist())
"""


def test_generators_are_the_workers_own_wherever_they_are_kept(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"noise.py": _NOISE, "main.py": _SHOW_NOISE}, "DL203")
    assert both.before.code == both.after.code == 0
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        order, *numbers = both.after.kept(way)
        first, *others = both.before.kept(way)
        assert numbers == others
        assert order.partition("Shift")[0] == first.partition("Shift")[0]
        if not workers:
            assert both.before.changed(way) == both.after.changed(way)
    for way in (_FORKED, _SPAWNED):
        before, after = ([line.split() for line in each.changed(way)] for each in (both.before, both.after))
        assert len(before) == len(after) == 16
        assert len({line[0] for line in before}) == 4
        numbers = [number for line in after for number in line]
        assert len(set(numbers)) == len(numbers)


_ROWS = """\
import os

from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, path, count):
        self.path = path
        self.count = count
        self.file = None
        self.first = self[0]

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.file is None:
            self.file = open(self.path, "rb")
        self.file.seek(index * 8)
        return self.file.read(8)


class Several(Dataset):
    def __init__(self, folder):
        self.files = [open(os.path.join(folder, name), "rb") for name in sorted(os.listdir(folder))]
        self.sizes = [os.fstat(file.fileno()).st_size // 8 for file in self.files]

    def __len__(self):
        return sum(self.sizes)

    def __getitem__(self, index):
        place, row = index % len(self.files), index // len(self.files)
        self.files[place].seek(row * 8)
        return self.files[place].read(8)
"""
_SHOW_ROWS = """\
import os

from torch.utils.data import DataLoader

from rows import Rows, Several


def show(method, workers):
    os.makedirs("rows", exist_ok=True)
    for name in "ab":
        with open(f"rows/{name}", "wb") as file:
            file.write(b"".join(b"%s%07d" % (name.encode(), row) for row in range(3000)))
    for data in (Rows("rows/a", 3000), Several("rows")):
        print("keep", len(data), data[0], data[2999])
        context = method if workers else None
        loader = DataLoader(data, batch_size=None, num_workers=workers, multiprocessing_context=context)
        read = list(loader)
        print("right", sum(row == data[place] for place, row in enumerate(read)), "of", len(read))
"""


def test_handles_are_each_process_s_own_when_they_are_opened_late_or_several(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"rows.py": _ROWS, "main.py": _SHOW_ROWS}, "DL403")
    assert both.before.code == both.after.code == 0
    assert both.before.changed(_SPAWNED) == ["error TypeError"]
    assert both.before.changed(_FORKED) != both.after.changed(_FORKED)
    for method, workers in WAYS:
        assert both.after.changed(f"{method}:{workers}") == ["right 3000 of 3000", "right 6000 of 6000"]
        if (method, workers) != ("spawn", 2):
            assert both.before.kept(f"{method}:{workers}") == both.after.kept(f"{method}:{workers}")


_TEXTS = """\
from dataclasses import dataclass
from typing import Callable

from torch.utils.data import DataLoader


@dataclass
class Settings:
    count: int = 2
    collate: Callable = lambda rows: sorted(rows)


class Texts:
    def __init__(self, words):
        self.words = words

    def encode(self, text):
        return [self.words[word] for word in text.split()]

    def loader(self, texts, workers, context, limit=2):
        def fn(batch):
            return [self.encode(text)[:limit] for text in batch]

        return DataLoader(
            texts, batch_size=2, collate_fn=fn, num_workers=workers, multiprocessing_context=context
        )


def sorted_loader(rows, workers, context, settings=Settings()):
    return DataLoader(
        rows, settings.count, collate_fn=settings.collate, num_workers=workers, multiprocessing_context=context
    )
"""
_SHOW_TEXTS = """\
from texts import Texts, sorted_loader


def show(method, workers):
    context = method if workers else None
    for batch in Texts({"a": 1, "b": 2}).loader(["a b a", "b", "b a"], workers, context):
        print(batch)
    for batch in sorted_loader([3, 1, 2], workers, context):
        print(batch)
"""


def test_functions_of_an_object_and_of_a_record_go_to_spawned_workers(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"texts.py": _TEXTS, "main.py": _SHOW_TEXTS}, "DL401")
    assert both.before.code == both.after.code == 0
    assert "error" in both.before.changed(_SPAWNED)[0]
    right = both.before.changed("fork:0")
    for method, workers in WAYS:
        assert both.after.changed(f"{method}:{workers}") == right
