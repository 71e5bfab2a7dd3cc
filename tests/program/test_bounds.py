"""A bound makes an answer less complete, never empty: the different things beyond it come first, and not all is
known."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.evaluation.questions import TEST, Questions
from dlint.loaders.loaders import MOST_WAYS
from dlint.values.outcomes import Outcome
from dlint.values.values import Const
from dlint.values.worlds import HERE, World

from .sources import agree

_MAKE = """\
from torch.utils.data import DataLoader, RandomSampler


def make(dataset, sampler, shuffle):
    return DataLoader(dataset, sampler=sampler, shuffle=shuffle){mark}
"""
_MARK = "  # expect: DL301"
_ASK = "\n\ndef ask_{n}(dataset):\n    return make(dataset, {given})\n"


@pytest.mark.parametrize("many", [4, 31, 33, 47, 48, 60])
def test_what_two_callers_pass_is_never_mixed(tmp_path: Path, many: int) -> None:
    passed = ("None, True", "RandomSampler(dataset), False")
    text = _MAKE.format(mark="") + "".join(_ASK.format(n=n, given=passed[n % 2]) for n in range(many))
    agree(tmp_path, {"main.py": text}, "DL301")


@pytest.mark.parametrize("many", [10, 12, 40, 100])
@pytest.mark.parametrize("where", ["main.py", "tests/test_main.py"])
def test_the_caller_that_differs_is_asked(tmp_path: Path, many: int, where: str) -> None:
    asking = "".join(_ASK.format(n=n, given="None, True") for n in range(many))
    asking += _ASK.format(n="both", given="RandomSampler(dataset), True")
    files = {"making.py": _MAKE.format(mark=_MARK), where: "from making import *\n" + asking}
    agree(tmp_path, files, "DL301")


@pytest.mark.parametrize("kind", ["function", "method"])
def test_callers_in_more_files_than_are_looked_at(tmp_path: Path, kind: str) -> None:
    """Those that may import the function come before those that write its name."""
    made = _MAKE.format(mark=_MARK)
    if kind == "method":
        made = made.replace("def make(", "class Maker:\n  def make(self, ")
    call = "make" if kind == "function" else "Maker().make"
    name = call.partition("(")[0]
    files = {
        "making.py": made,
        "z_train.py": f"from making import {name}, RandomSampler\n\n\ndef train(dataset):\n"
        f"    return {call}(dataset, RandomSampler(dataset), True)\n",
    }
    for n in range(40):
        files[f"other_{n:02}.py"] = (
            f"from elsewhere import thing\n\n\ndef use():\n    return thing.make({n}, None, True)\n"
        )
    agree(tmp_path, files, "DL301")


_STORES = """\
from torch.utils.data import DataLoader, Dataset
import cv2


class Files(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.change = None

    def __getitem__(self, index):
        return self.change(self.paths[index])


def blur(image):
    return cv2.GaussianBlur(image, (3, 3), 0){mark}


def train(paths):
    dataset = Files(paths)
    dataset.change = {change}
    return DataLoader(dataset, num_workers=2)
"""
_BOX = "class Box:\n    pass\n\n\ndef fill():\n    box = Box()\n"


@pytest.mark.parametrize("many", [3, 9, 40, 200])
def test_stores_in_other_objects(tmp_path: Path, many: int) -> None:
    box = _BOX + "".join(f"    box.change = {n}\n" for n in range(many))
    files = {"a_box.py": box, "train.py": _STORES.format(mark="  # expect: DL101", change="blur")}
    agree(tmp_path, files, "DL101")


def test_stores_of_something_else(tmp_path: Path) -> None:
    box = _BOX + "".join(f"    box.change = {n}\n" for n in range(40))
    agree(tmp_path, {"a_box.py": box, "train.py": _STORES.format(mark="", change="None")}, "DL101")


def test_ways_that_differ_come_first(tmp_path: Path) -> None:
    """The conflict is the last of more ways than are looked at, and does not hold on all."""
    tests = "".join(f"    if flags[{n}]:\n        options['timeout'] = {n}\n" for n in range(4))
    chosen = "".join(f"    elif kind == {n}:\n        shuffle = False\n" for n in range(1, MOST_WAYS))
    text = (
        "from torch.utils.data import DataLoader, RandomSampler\n\n\ndef train(dataset, kind, flags):\n"
        f"    options = {{}}\n{tests}    if kind == 0:\n        shuffle = False\n{chosen}"
        "    else:\n        shuffle = True\n"
        "    return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=shuffle, **options)  # expect: DL301\n"
    )
    report = agree(tmp_path, {"main.py": text}, "DL301")
    assert "comes a way to this call" in report.findings[0].message


_NOISY = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, index):
        return self.rows[index] + np.random.rand()


class Plain(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, index):
        return self.rows[index]


def make(dataset, init=None):
    return DataLoader(dataset, num_workers=2, worker_init_fn=init){mark}


def train(rows, init):
    return make(Noisy(rows){first})


def evaluate(rows, init):
    return make({second})
"""


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("", "Noisy(rows), init", True),
        ("", "Plain(rows), init", True),
        (", init", "Plain(rows)", False),  # what draws has one
        (", init if rows else None", "Plain(rows)", False),  # its author has thought of it
        (", init", "Noisy(rows), init", False),
    ],
)
def test_what_one_caller_passes_does_nothing_for_another(
    tmp_path: Path, first: str, second: str, found: bool
) -> None:
    mark = "  # expect: DL202" if found else ""
    text = _NOISY.format(mark=mark, first=first, second=second)
    agree(tmp_path, {"main.py": text}, "DL202", target_torch="1.8")


def _many_datasets(count: int) -> str:
    classes = "".join(
        f"\n\nclass Set{n}(Dataset):\n    def __getitem__(self, index):\n        return {n}\n"
        for n in range(count)
    )
    return f"import cv2\nfrom torch.utils.data import DataLoader, Dataset\n{classes}"


def test_more_datasets_than_two_dozen(tmp_path: Path) -> None:
    text = _many_datasets(30).replace("return 29", "return cv2.resize(index, (1, 1))  # expect: DL101")
    text += "\n\ndef load(dataset):\n    return DataLoader(dataset, num_workers=2)\n"
    text += "".join(f"\n\ndef load_{n}():\n    return load(Set{n}())\n" for n in range(30))
    agree(tmp_path, {"main.py": text}, "DL101")


def test_a_test_is_cut_at_the_same_place_whoever_asks_and_does_not_cut_who_asks() -> None:
    questions, asked = Questions(), []

    def of_many(world: World) -> list[Outcome]:
        asked.append("test")
        for n in range(3 * TEST):
            questions.answered(("part", n), lambda w: asked.append("part") or [(Const(1), HERE)])  # type: ignore[func-returns-value]
        return [(Const(2), HERE)]

    def around(mark: str) -> list[Outcome]:
        def find(world: World) -> list[Outcome]:
            asked.append(mark)
            return questions.answered(("truth",), of_many, test=True)

        return questions.answered((mark,), find)

    for mark in ("first", "second", "first", "second"):
        questions.start()
        assert around(mark) == [(Const(2), HERE)]
    # Each is asked once, and so is what the test came to.
    assert [each for each in asked if each != "part"] == ["first", "test", "second"]
    assert asked.count("part") < TEST


def test_a_value_that_is_cut_is_asked_again() -> None:
    """What is no test has what the outermost question leaves it, and is not kept where that was too little."""
    questions, asked = Questions(), []

    def of_many(world: World) -> list[Outcome]:
        asked.append("value")
        for n in range(3 * TEST):
            questions.answered(("part", n), lambda w: [(Const(1), HERE)])
        return [(Const(2), HERE)]

    for mark in ("first", "second"):
        questions.start(TEST)
        questions.answered((mark,), lambda w: questions.answered(("value",), of_many))
    assert asked == ["value", "value"]
