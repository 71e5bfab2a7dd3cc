"""A loader as each call of the function around it alone has it, and which of several classes is taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from program.sources import program, shown

_BUILD = """\
from torch.utils.data import DataLoader, RandomSampler

class Own(DataLoader):
    pass

def build(rows, train, balanced=False, own=False):
    sampler = RandomSampler(rows) if balanced else None
    kind = Own if own else DataLoader
    return kind(rows, sampler=sampler, shuffle=train)

build([1], True)
build([2], False, balanced=True)
build([3], train=True, balanced=True, own=True)
"""


def test_each_caller_has_its_own_arguments(tmp_path: Path) -> None:
    [loader] = program(tmp_path, {"main.py": _BUILD}).loaders
    assert loader.cls is None
    told = [
        {(shown(way["sampler"]), shown(way["shuffle"])) for way, _ in each.ways("sampler", "shuffle")}
        for each in loader.by_callers()
    ]
    sampler = "torch.utils.data.RandomSampler()"
    assert told == [{("None", "True")}, {(sampler, "False")}, {(sampler, "True")}]


def test_of_one_caller_there_are_no_others(tmp_path: Path) -> None:
    [loader] = program(tmp_path, {"main.py": _BUILD}).loaders
    assert not [inner for each in loader.by_callers() for inner in each.by_callers()]


def test_no_function_around_it_and_no_caller(tmp_path: Path) -> None:
    text = "from torch.utils.data import DataLoader\nDataLoader([1])\ndef unused():\n    DataLoader([2])\n"
    assert [list(each.by_callers()) for each in program(tmp_path, {"main.py": text}).loaders] == [[], []]


@pytest.mark.parametrize(
    ("choice", "own"),
    [
        ("DataLoader if args.plain else Own", True),
        ("Own if args.own else DataLoader", False),
        ("Own if not args.plain else DataLoader", True),
        ("DataLoader if args.given else Own", False),
    ],
)
def test_of_several_classes_the_one_that_is_made_by_default(tmp_path: Path, choice: str, own: bool) -> None:
    text = f"""\
import argparse
from torch.utils.data import DataLoader
class Own(DataLoader):
    pass
parser = argparse.ArgumentParser()
parser.add_argument("--plain", action="store_true")
parser.add_argument("--own", action="store_true")
parser.add_argument("--given", default=True, type=bool)
args = parser.parse_args()
kind = {choice}
loader = kind([1], num_workers=2)
"""
    [loader] = program(tmp_path, {"main.py": text}).loaders
    assert (loader.cls is not None) is own
