"""Findings stay, whatever else stands in the program and in whatever order it is written.

More code may add uses and findings. It takes one away only by a positive reason: a protection, a guard, every
construction seen and each read without workers. None of `growing.additions` is one.

Few examples run by default, the same ones each time. ``DLINT_MONOTONE=500 pytest tests/program/test_monotone.py``
tries as many for each program, and others each time.
"""

from __future__ import annotations

import os
import random
import re
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rules.fixtures import fixtures, programs

from dlint.rules import all_rules

from .growing import (
    Change,
    Files,
    Found,
    Growing,
    additions,
    found_in,
    renamed,
    shuffled,
    stores_of_others,
)

_MANY = int(os.environ.get("DLINT_MONOTONE", "0"))
_FIXTURES, _OWN = _MANY or 2, _MANY or 8


def _examples(count: int) -> settings:
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=not _MANY,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


_NOISE = """import numpy as np
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self, rows, size=1):
        self.rows = rows
        self.size = size

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.jitter(self.rows[index])

    def jitter(self, row):
        return row + np.random.rand(self.size)
"""
_BLUR = """import cv2


class Blur:
    def __init__(self, width):
        self.width = width

    def __call__(self, image):
        return cv2.GaussianBlur(image, (self.width, self.width), 0)


class Keep:
    def __call__(self, image):
        return image
"""
_FILES = """from torch.utils.data import Dataset


class Files(Dataset):
    def __init__(self, paths, change=None):
        self.paths = paths
        self.change = change

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = read_pixels(self.paths[index])
        return image if self.change is None else self.change(image)


def read_pixels(path):
    with open(path, "rb") as file:
        return file.read()
"""

_PROGRAMS = {
    "noise through a function": Growing(
        {
            "sets/noise.py": _NOISE,
            "sets/loading.py": "from torch.utils.data import DataLoader\n\n\n"
            "def make_loader(dataset, workers, init=None):\n"
            "    return DataLoader(dataset, num_workers=workers, worker_init_fn=init)\n",
            "train.py": "from sets.loading import make_loader\nfrom sets.noise import Noisy\n\n\n"
            "def train(rows):\n    for row in make_loader(Noisy(rows), 4):\n        print(row)\n\n\n"
            "if __name__ == '__main__':\n    train([1, 2, 3])\n",
        },
        ("DL202",),
        calls=(
            ("sets.loading", "make_loader(given, 0)"),
            ("sets.loading", "make_loader([1, 2], 2)"),
            ("sets.loading", "make_loader(given, given.workers, given.init)"),
            ("sets.noise", "Noisy(given)"),
            ("train", "train(given)"),
        ),
        classes=(("sets.noise", "Noisy"),),
        attributes=("rows", "size"),
    ),
    "a transform that another function chooses": Growing(
        {
            "sets/blur.py": _BLUR,
            "sets/files.py": _FILES,
            "sets/build.py": "from sets.blur import Blur, Keep\nfrom sets.files import Files\n\n\n"
            "def build(paths, training, width):\n"
            "    return Files(paths, change=Blur(width) if training else Keep())\n",
            "run/train.py": "from torch.utils.data import DataLoader\n\nfrom sets.build import build\n\n\n"
            "def loaders(paths, workers):\n"
            "    train = DataLoader(build(paths, True, 3), num_workers=workers, shuffle=True)\n"
            "    valid = DataLoader(build(paths, False, 3), num_workers=0)\n"
            "    return train, valid\n",
        },
        ("DL101",),
        calls=(
            ("sets.build", "build(given, False, 3)"),
            ("sets.build", "build([], True, given)"),
            ("sets.files", "Files(given)"),
            ("run.train", "loaders(given, 0)"),
            ("run.train", "loaders(given, given.workers)"),
            ("run.train", "loaders([], 2)"),
            ("sets.blur", "Blur(given)"),
        ),
        classes=(("sets.files", "Files"), ("sets.blur", "Blur")),
        attributes=("change", "width", "paths"),
    ),
    "a transform that is stored": Growing(
        {
            "sets/blur.py": _BLUR,
            "sets/files.py": _FILES,
            "train.py": "from torch.utils.data import DataLoader\n\nfrom sets.blur import Blur\n"
            "from sets.files import Files\n\n\n"
            "def train(paths):\n    dataset = Files(paths)\n    dataset.change = Blur(5)\n"
            "    return DataLoader(dataset, num_workers=2)\n",
        },
        ("DL101",),
        calls=(("sets.files", "Files(given, given.change)"), ("train", "train(given)")),
        classes=(("sets.files", "Files"),),
        attributes=("change", "width", "paths"),
    ),
    "seeds of a function that is handed on": Growing(
        {
            "noise.py": _NOISE,
            "seeding.py": "import numpy as np\n\n\ndef seed_worker(worker_id):\n    np.random.seed(7)\n",
            "loading.py": "from torch.utils.data import DataLoader\n\n\n"
            "def make_loader(dataset, **options):\n    return DataLoader(dataset, **options)\n",
            "train.py": "from loading import make_loader\nfrom noise import Noisy\nfrom seeding import seed_worker\n"
            "\n\ndef train(rows, epochs):\n"
            "    loader = make_loader(Noisy(rows), num_workers=2, worker_init_fn=seed_worker)\n"
            "    for _ in range(epochs):\n        for row in loader:\n            print(row)\n",
        },
        ("DL204",),
        calls=(
            ("loading", "make_loader(given)"),
            ("loading", "make_loader(given, num_workers=0)"),
            ("loading", "make_loader([1], worker_init_fn=given)"),
            ("loading", "make_loader(given, **given.options)"),
            ("seeding", "seed_worker(given)"),
            ("noise", "Noisy(given)"),
        ),
        classes=(("noise", "Noisy"),),
        attributes=("rows", "size", "seed"),
    ),
    "a sampler with shuffle from one caller": Growing(
        {
            "making.py": "from torch.utils.data import DataLoader\n\n\n"
            "def make(dataset, sampler, shuffle):\n"
            "    return DataLoader(dataset, sampler=sampler, shuffle=shuffle)\n",
            "train.py": "from making import make\nfrom torch.utils.data import RandomSampler\n\n\n"
            "def train(dataset):\n    return make(dataset, RandomSampler(dataset), True)\n\n\n"
            "def evaluate(dataset):\n    return make(dataset, None, False)\n",
        },
        ("DL301",),
        calls=(
            ("making", "make(given, None, True)"),
            ("making", "make([], None, False)"),
            ("making", "make(given, given.sampler, False)"),
            ("train", "train(given)"),
            ("train", "evaluate([1])"),
        ),
    ),
    "settings that are stored": Growing(
        {
            "noise.py": _NOISE,
            "config.py": "class Config:\n    def __init__(self):\n        self.workers = 0\n"
            "        self.collate = None\n",
            "train.py": "import sys\n\nfrom torch.utils.data import DataLoader\n\nfrom config import Config\n"
            "from noise import Noisy\n\n\n"
            "def train(rows):\n    config = Config()\n    config.workers = 4\n"
            "    return make(config, Noisy(rows))\n\n\n"
            "def make(config, dataset):\n    return DataLoader(dataset, num_workers=config.workers)\n",
        },
        ("DL202",),
        calls=(("config", "Config()"), ("train", "train(given)"), ("train", "make(given, given.rows)")),
        classes=(("noise", "Noisy"), ("config", "Config")),
        attributes=("workers", "rows", "collate"),
    ),
    "what cannot be sent, from a method": Growing(
        {
            "trainer.py": "from torch.utils.data import DataLoader\n\n\nclass Trainer:\n"
            "    def __init__(self, dataset, workers):\n        self.dataset = dataset\n"
            "        self.workers = workers\n\n"
            "    def loader(self):\n"
            "        return DataLoader(self.dataset, num_workers=self.workers, collate_fn=lambda rows: rows)\n",
            "train.py": "from trainer import Trainer\n\n\ndef train(rows):\n"
            "    return Trainer(rows, 2).loader()\n",
        },
        ("DL401",),
        calls=(
            ("trainer", "Trainer(given, 0)"),
            ("trainer", "Trainer(given, 0).loader()"),
            ("trainer", "Trainer([], given)"),
            ("train", "train(given)"),
        ),
        classes=(("trainer", "Trainer"),),
        attributes=("dataset", "workers"),
        options={"start_method": "spawn"},
    ),
    "items that are None": Growing(
        {
            "reading.py": "import json\n\n\ndef read(path):\n    try:\n        with open(path) as file:\n"
            "            return json.load(file)\n    except ValueError:\n        return None\n",
            "rows.py": "from torch.utils.data import Dataset\n\nfrom reading import read\n\n\n"
            "class Rows(Dataset):\n    def __init__(self, paths):\n        self.paths = paths\n\n"
            "    def __len__(self):\n        return len(self.paths)\n\n"
            "    def __getitem__(self, index):\n        return read(self.paths[index])\n",
            "train.py": "from rows import Rows\nfrom torch.utils.data import DataLoader\n\n\n"
            "def train(paths):\n    return DataLoader(Rows(paths), batch_size=4)\n",
        },
        ("DL502",),
        calls=(("reading", "read(given)"), ("rows", "Rows(given)"), ("train", "train(given)")),
        classes=(("rows", "Rows"),),
        attributes=("paths",),
    ),
}


def _fixture_programs() -> dict[str, Growing]:
    found = {}
    for fixture in fixtures().values():
        codes = tuple(
            rule.code for rule in all_rules().values() if rule.on_by_default or rule.code == fixture.code
        )
        for program in programs(fixture):
            if program.path.name == "bad.py":
                text = program.path.read_text(encoding="utf-8")
                found[fixture.code] = Growing({"bad.py": text}, codes, options=fixture.check)
    return found


_BAD = _fixture_programs()


@cache
def _before(name: str) -> Found:
    program = _all()[name]
    found = found_in(program.files, program.codes, program.options)
    assert found, "a program without findings proves nothing"
    return found


@cache
def _all() -> dict[str, Growing]:
    return {**_PROGRAMS, **_BAD}


def _check_grown(name: str, changes: list[Change]) -> None:
    program = _all()[name]
    files: Files = dict(program.files)
    for change in changes:
        files = change(files)
    assert _before(name) <= found_in(files, program.codes, program.options)


def _check_ordered(name: str, seed: int) -> None:
    """Its definitions in another order, its files called otherwise and so read in another order."""
    program = _all()[name]
    chance = random.Random(seed)
    stems = sorted({part for path in program.files for part in path.removesuffix(".py").split("/")})
    names = dict(
        zip(stems, (f"{chance.choice('abz')}{i}_{stem}" for i, stem in enumerate(stems)), strict=True)
    )
    ordered = {path: shuffled(text, chance) for path, text in program.files.items()}
    files = renamed(ordered, names)
    found = found_in(files, program.codes, program.options)
    expected = {(renamed({path: ""}, names).popitem()[0], code, line) for path, code, line in _before(name)}
    assert found == expected


@pytest.mark.parametrize("name", _PROGRAMS)
def test_programs_grow(name: str) -> None:
    @_examples(_OWN)
    @given(st.lists(additions(_all()[name]), min_size=1, max_size=4))
    def grow(changes: list[Change]) -> None:
        _check_grown(name, changes)

    grow()


@pytest.mark.parametrize("name", _BAD)
def test_fixtures_grow(name: str) -> None:
    @_examples(_FIXTURES)
    @given(st.lists(additions(_all()[name]), min_size=2, max_size=4))
    def grow(changes: list[Change]) -> None:
        _check_grown(name, changes)

    grow()


@pytest.mark.parametrize("name", [*_PROGRAMS, *_BAD])
def test_others_store_under_the_same_names(name: str) -> None:
    """Programs of their own, which the one with the findings neither imports nor is imported by."""
    program = _all()[name]
    names = {name for text in program.files.values() for name in re.findall(r"\bself\.(\w+)", text)}
    found = found_in({**stores_of_others(sorted(names)), **program.files}, program.codes, program.options)
    assert _before(name) <= found


@pytest.mark.parametrize("name", _BAD)
def test_fixtures_beside_their_siblings(name: str) -> None:
    """Scripts of one folder, of which none imports the other: what one does right cures no other."""
    program = _all()[name]
    (fixture,) = (each for each in fixtures().values() if each.code == name)
    for sibling in programs(fixture):
        if sibling.path.name == "bad.py" or re.search(
            rf"\b(?:from|import)\s+{sibling.path.stem}\b", program.files["bad.py"]
        ):
            continue
        beside = {
            file.relative_to(sibling.path.parent).as_posix(): file.read_text(encoding="utf-8")
            for file in sibling.files
        }
        found = found_in({**beside, **program.files}, program.codes, program.options)
        assert _before(name) <= found, sibling


@pytest.mark.parametrize("name", _PROGRAMS)
def test_the_order_of_programs(name: str) -> None:
    @_examples(_OWN)
    @given(st.integers(0, 1 << 30))
    def order(seed: int) -> None:
        _check_ordered(name, seed)

    order()


@pytest.mark.parametrize("name", _BAD)
def test_the_order_of_fixtures(name: str) -> None:
    @_examples(_FIXTURES)
    @given(st.integers(0, 1 << 30))
    def order(seed: int) -> None:
        _check_ordered(name, seed)

    order()
