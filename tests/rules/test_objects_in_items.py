"""Objects that worker code puts in an item, and their methods called by who gets the item."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_PROGRAM = """import cv2
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Masks:
    def __init__(self, rows):
        self.rows = rows

    def rotated(self, angle):
        return cv2.warpAffine(self.rows, angle, (8, 8))

    def copy(self):
        return cv2.blur(self.rows, (3, 3))


class Plain:
    def __init__(self, rows):
        self.rows = rows

    def rotated(self, angle):
        return np.rot90(self.rows)


class BetterMasks(Masks):
    pass


class Add:
    def __init__(self, exact=True):
        self.exact = exact

    def __call__(self, item):
        {add}
        return item


class Turn:
    def __call__(self, item):
        {turn}
        return item


class Cells(Dataset):
    def __init__(self, rows, steps):
        self.rows = rows
        self.steps = steps

    def __getitem__(self, index):
        item = {{"image": self.rows[index]}}
        for step in self.steps:
            item = step(item)
        return item


def main(rows):
    {loader}
"""
_ADD = 'item["masks"] = Masks(item["image"])'
_TURN = 'item["masks"] = item["masks"].rotated(20)'
_LOADER = "return DataLoader(Cells(rows, [Add(), Turn()]), num_workers=2)"
_FOUND = {
    "under the same key": (_ADD, _TURN),
    "by a name of its own": (_ADD, 'masks = item["masks"]\n        item["masks"] = masks.rotated(20)'),
    "made before it is put there": (
        'masks = Masks(item["image"])\n        item["masks"] = masks',
        'masks = item.get("masks")\n        masks.rotated(20)',
    ),
    "taken out": (_ADD, 'item["rows"] = item.pop("masks").rotated(20)'),
    "with other entries": ('item = {"masks": Masks(item["image"]), "other": 1}', _TURN),
    "by update": ('item.update(masks=Masks(item["image"]))', _TURN),
    "made by a function": ('item["masks"] = make(item["image"])', _TURN),
    "of a derived class": ('item["masks"] = BetterMasks(item["image"])', _TURN),
    "under whatever key": (_ADD, "for key in item:\n            item[key] = item[key].rotated(20)"),
    "a method that is called like one of data": (_ADD, 'item["masks"] = item["masks"].copy()'),
    "chosen by a state that nobody knows": (
        'item["masks"] = Masks(item["image"]) if flag() else Plain(item["image"])',
        _TURN,
    ),
}
_SILENT = {
    "under another key": (_ADD, 'item["image"] = item["image"].rotated(20)'),
    "of another class": (_ADD.replace("Masks(", "Plain("), _TURN),
    "a method of data, under whatever key": (
        _ADD,
        "for key in item:\n            item[key] = item[key].copy()",
    ),
    "never put there": ('if not self.exact:\n            item["masks"] = Masks(item["image"])', _TURN),
    "put there and left alone": (_ADD, 'item["masks"] = item["masks"].shape'),
    "called where control does not come": (_ADD, 'if False:\n            item["masks"].rotated(20)'),
}
_LOADERS = {
    "of another dataset": "DataLoader(Cells(rows, [Add()]), num_workers=2)\n"
    "    return DataLoader(Cells(rows, [Turn()]), num_workers=2)",
    "called in the parent": "loader = DataLoader(Cells(rows, [Add()]), num_workers=2)\n"
    "    return [Turn()(item) for item in loader]",
    "no workers": "return DataLoader(Cells(rows, [Add(), Turn()]))",
}
_MAKE = "\n\ndef make(rows):\n    return Masks(rows)\n"


def _found(tmp_path: Path, add: str, turn: str, loader: str = _LOADER) -> list[str]:
    (tmp_path / "program.py").write_text(_PROGRAM.format(add=add, turn=turn, loader=loader) + _MAKE)
    report = engine.check([tmp_path], Settings(select=("DL101",), start_method="fork"))
    assert not report.troubles
    return [each.code for each in report.findings]


@pytest.mark.parametrize("name", _FOUND)
def test_a_method_of_what_is_in_an_item(tmp_path: Path, name: str) -> None:
    assert _found(tmp_path, *_FOUND[name]) == ["DL101"]


@pytest.mark.parametrize("name", _SILENT)
def test_a_method_of_something_else(tmp_path: Path, name: str) -> None:
    assert _found(tmp_path, *_SILENT[name]) == []


@pytest.mark.parametrize("name", _LOADERS)
def test_an_object_that_these_workers_do_not_put_there(tmp_path: Path, name: str) -> None:
    assert _found(tmp_path, _ADD, _TURN, _LOADERS[name]) == []
