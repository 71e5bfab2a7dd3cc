"""What a function does in worker code is found once for all who call it alike, and apart where it differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.budget.budget import BUDGET
from program.sources import check, program

_HEAD = """\
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


"""

_MODES = (
    _HEAD
    + """\
def load(path, mode):
    if mode == {wanted}:
        return cv2.imread(path)
    return path


class Photos(Dataset):
    def __getitem__(self, index):
        return [{calls}]


for batch in DataLoader(Photos(), num_workers=2):
    pass
"""
)


@pytest.mark.parametrize("wanted", [0, 5, 11, 19])
@pytest.mark.parametrize("forwards", [True, False])
def test_of_many_ways_to_call_a_function_none_is_left_out(
    wanted: int, forwards: bool, tmp_path: Path
) -> None:
    modes = range(20) if forwards else reversed(range(20))
    calls = ", ".join(f'load("{mode}.png", {mode})' for mode in modes)
    text = _MODES.format(wanted=wanted, calls=calls)
    findings = check(tmp_path, {"main.py": text}, "DL101").findings
    assert [finding.line for finding in findings] == [text[: text.index("cv2.imread")].count("\n") + 1]


def test_no_way_to_call_a_function_comes_to_a_branch(tmp_path: Path) -> None:
    text = _MODES.format(wanted=99, calls=", ".join(f'load("a.png", {mode})' for mode in range(6)))
    assert not check(tmp_path, {"main.py": text}, "DL101").findings


_FLAGS = (
    _HEAD
    + """\
class Decoder:
    def __init__(self, fast):
        self.fast = fast

    def __call__(self, path):
        if self.fast:
            return cv2.imread(path)
        return path


class Photos(Dataset):
    def __init__(self, decode):
        self.decode = decode

    def __getitem__(self, index):
        return self.decode(str(index))


def loader(fast):
    return DataLoader(Photos(Decoder(fast)), num_workers=2)


{uses}
"""
)


@pytest.mark.parametrize(
    ("uses", "found"),
    [
        ("loader(False)", 0),
        ("loader(True)", 1),
        ("loader(False)\nloader(True)", 1),
        ("loader(True)\nloader(False)", 1),
    ],
)
def test_objects_made_alike_but_for_what_is_asked(uses: str, found: int, tmp_path: Path) -> None:
    findings = check(tmp_path, {"main.py": _FLAGS.format(uses=uses)}, "DL101").findings
    assert len(findings) == found


_DEVICES = (
    _HEAD
    + """\
def move(item, device):
    return item.to(device)


class Cpu(Dataset):
    def __getitem__(self, index):
        return move(torch.zeros(3), "cpu")


class Gpu(Dataset):
    def __getitem__(self, index):
        return move(torch.zeros(3), "cuda")


for batch in DataLoader({first}(), num_workers=2):
    pass
for batch in DataLoader({second}(), num_workers=2):
    pass
"""
)


@pytest.mark.parametrize(("first", "second"), [("Cpu", "Gpu"), ("Gpu", "Cpu")])
def test_what_rules_ask_afterwards_is_told_apart(first: str, second: str, tmp_path: Path) -> None:
    text = _DEVICES.format(first=first, second=second)
    findings = check(tmp_path, {"main.py": text}, "DL503").findings
    assert [finding.line for finding in findings] == [text[: text.index("item.to")].count("\n") + 1]


_SEEDS = (
    _HEAD
    + """\
def setup(value):
    np.random.seed(value)


def prepare(value):
    setup(value)


class Source:
    def __init__(self, value):
        self.value = value

    def start(self):
        np.random.seed(self.value)


def begin(source):
    source.start()


class Data(Dataset):
    def __getitem__(self, index):
        if index % 2:
            {first}
        else:
            {second}
        return np.random.rand()


for batch in DataLoader(Data(), num_workers=2):
    pass
"""
)


@pytest.mark.parametrize("call", ["setup({})", "prepare({})", "Source({}).start()", "begin(Source({}))"])
@pytest.mark.parametrize("forwards", [True, False])
def test_what_is_handed_on_to_what_rules_ask_about(call: str, forwards: bool, tmp_path: Path) -> None:
    calls = [call.format("0"), call.format("None")]
    first, second = calls if forwards else reversed(calls)
    findings = check(tmp_path, {"main.py": _SEEDS.format(first=first, second=second)}, "DL201").findings
    assert len(findings) == 1
    other = {"main.py": _SEEDS.format(first=calls[1], second=calls[1])}
    assert not check(tmp_path, other, "DL201").findings


_WITH_OR_WITHOUT = (
    _HEAD
    + """\
def read(path, mask):
    if mask is None:
        return path
    return cv2.resize(mask, (8, 8))


class Plain(Dataset):
    def __init__(self, mask):
        self.mask = mask

    def __getitem__(self, index):
        mask = self.mask
        if mask is None:
            return read("a", mask)
        return read("a", None)


{masked}def main(mask):
    for batch in DataLoader(Plain(mask), num_workers=2):
        pass
{more}

if __name__ == "__main__":
    import sys

    main(sys.argv)
"""
)


_MASKED = """\
class Masked(Dataset):
    def __init__(self, mask):
        self.mask = mask

    def __getitem__(self, index):
        mask = self.mask
        if mask is None:
            return 0
        return read("a", mask)


"""


@pytest.mark.parametrize(
    ("masked", "more"),
    [
        ("", ""),
        (_MASKED, "    for batch in DataLoader(Masked(mask), num_workers=2):\n        pass\n"),
    ],
)
def test_what_a_caller_knows_of_what_it_passes_holds_inside(masked: str, more: str, tmp_path: Path) -> None:
    text = _WITH_OR_WITHOUT.format(masked=masked, more=more)
    assert len(check(tmp_path, {"main.py": text}, "DL101").findings) == bool(more)


_STEPS = (
    _HEAD
    + """\
from functools import partial, reduce


class Turn:
    def __call__(self, image):
        return cv2.flip(image, 1)


class Still:
    def __call__(self, image):
        return image


class Photos(Dataset):
    def __init__(self, steps):
        self.steps = steps

    def __getitem__(self, index):
        return {call}


for batch in DataLoader(Photos([{steps}]), num_workers=2):
    pass
"""
)


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("reduce(lambda image, step: step(image), self.steps, index)", True),
        ("reduce(lambda image, step: image, self.steps, index)", False),
        ("reduce(lambda step, image: step(image), self.steps, index)", False),
        ("list(map(lambda step: step(index), self.steps))", True),
        ("list(map(lambda number, step: step(number), range(9), self.steps))", True),
        ("list(map(lambda number, step: number, range(9), self.steps))", False),
        ("list(filter(lambda step: step(index), self.steps))", True),
        ("list(map(partial(lambda image, step: step(image), index), self.steps))", True),
    ],
)
def test_functions_that_are_given_elements(call: str, given: bool, tmp_path: Path) -> None:
    for steps, found in (("Turn()", given), ("Still()", False), ("Still(), Turn()", given)):
        text = _STEPS.format(call=call, steps=steps)
        assert len(check(tmp_path, {"main.py": text}, "DL101").findings) == found


def _sharing(datasets: int, transforms: int) -> str:
    steps = "\n\n".join(
        f"class Step{n}:\n"
        "    def __call__(self, image):\n"
        f"        image = cv2.resize(image, ({n + 1}, 8))\n"
        "        if image.ndim == 2:\n"
        "            image = cv2.flip(image, 1)\n"
        "        return np.asarray(image)\n"
        for n in range(transforms)
    )
    every = ", ".join(f"Step{n}()" for n in range(transforms))
    sets = "\n\n".join(
        f"class Data{n}(Dataset):\n"
        "    def __init__(self, steps):\n"
        "        self.steps = steps\n\n"
        "    def __getitem__(self, index):\n"
        "        image = cv2.imread(str(index))\n"
        "        for step in self.steps:\n"
        "            image = step(image)\n"
        "        return image\n"
        for n in range(datasets)
    )
    loaders = "\n".join(f"loader{n} = DataLoader(Data{n}(STEPS), num_workers=2)" for n in range(datasets))
    return f"{_HEAD}{steps}\n\nSTEPS = [{every}]\n\n\n{sets}\n\n{loaders}\n"


def _work(tmp_path: Path, datasets: int, transforms: int) -> int:
    """What following the worker code of all datasets costs, in units of the budget."""
    folder = tmp_path / f"{datasets}x{transforms}"
    folder.mkdir()
    found = program(folder, {"main.py": _sharing(datasets, transforms)})
    before = BUDGET.spent
    assert sum(len(use.code.events) > 0 for use in found.uses) == datasets
    return BUDGET.spent - before


def test_what_datasets_share_is_followed_once(tmp_path: Path) -> None:
    few, many = _work(tmp_path, 4, 12), _work(tmp_path, 32, 12)
    # Eight times the datasets with the same transforms: as much for each dataset, and no more.
    assert many < 10 * few


def _named(name: str) -> str:
    sets = "\n\n".join(
        f"class Data{n}(Dataset):\n"
        "    def __init__(self, reader):\n"
        "        self.reader = reader\n\n"
        "    def __getitem__(self, index):\n"
        "        return self.reader.load(str(index))\n"
        for n in range(6)
    )
    loaders = "\n".join(f"loader{n} = DataLoader(Data{n}(made({n})), num_workers=2)" for n in range(6))
    return f"""{_HEAD}class {name}:
    def __init__(self, rate):
        self.rate = rate

    def load(self, path):
        return cv2.cvtColor(cv2.imread(path), 4)


def made(rate):
    return {name}(rate)


{sets}

{loaders}
"""


def test_a_word_within_another_is_no_process(tmp_path: Path) -> None:
    spent = []
    for name in ("AudioConverter", "AudioProcessor"):
        (tmp_path / name).mkdir()
        found = program(tmp_path / name, {"main.py": _named(name)})
        before = BUDGET.spent
        assert all(use.code.visits for use in found.uses if use.dataset is not None)
        spent.append(BUDGET.spent - before)
    assert spent[0] == spent[1]
