"""Datasets that have tried every item before: what they kept is no None when a worker reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .item_programs import check

_DATASET = """
class Data(Dataset):
    def __init__(self, paths):
{constructor}

    def parse(self, path):
        if not path.endswith("png"):
            return None
        return path.encode()

    def is_readable(self, path):
        return self.parse(path) is not None

    def is_named(self, path):
        return bool(path.strip())

    def keep(self, paths):
        self.paths = []
        for path in paths:
            photo = self.parse(path)
            if photo is None:
                continue
            self.paths.append(path)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.parse(self.paths[index]){mark}
"""


@pytest.mark.parametrize(
    ("constructor", "silent"),
    [
        pytest.param(
            "        self.paths = [path for path in paths if self.parse(path) is not None]",
            True,
            id="a comprehension",
        ),
        pytest.param("        self.keep(paths)", True, id="a loop in a method"),
        pytest.param(
            "        self.paths = [path for path in paths if self.is_readable(path)]",
            True,
            id="a method that tries it",
        ),
        pytest.param(
            "        self.paths = [path for path in paths if self.is_named(path)]",
            False,
            id="found: a method that does not try it",
        ),
        pytest.param(
            "        seen = {}\n        self.paths = [path for path in paths if not seen.parse(path)]",
            False,
            id="found: something else of that name",
        ),
        pytest.param(
            "        self.paths = [path for path in paths if path is not None]",
            False,
            id="found: another test",
        ),
        pytest.param(
            "        self.paths = paths\n        self.first = self.parse(paths[0])\n"
            "        if self.first is None:\n            print('odd')",
            False,
            id="found: one item tried",
        ),
    ],
)
def test_items_that_the_constructor_has_tried(
    constructor: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _DATASET.format(constructor=constructor, mark="" if silent else "  # here")
    check(program, "DL502", tmp_path, monkeypatch)
