"""Streams over a part of what was read whole: an array of an archive, a list of a dictionary."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_PROGRAM = """\
import random

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset


class Data(IterableDataset):
    def __init__(self, path, env=None):
        self.path, self.env = path, env
        self.rows = {rows}

    {other}

    def __iter__(self):
        {body}


for batch in DataLoader(Data("a"), batch_size=4, num_workers=2):
    pass
"""
_EACH = "for row in self.rows:\n            yield row"
_ENDLESS = "while True:\n            for row in self.rows:\n                yield row"
_COUNTED = "for i in range(len(self.rows) - 1):\n            yield self.rows[i], self.rows[i + 1]"


@pytest.mark.parametrize(
    ("rows", "body", "found"),
    [
        ('np.load(path)["rows"]', _EACH, True),
        ('np.load(path)["rows"]', _COUNTED, True),
        ('h5py.File(path)["rows"][:]', _COUNTED, True),
        ("None", 'rows = torch.load(self.path)["rows"]\n        yield from rows', True),
        ('np.load(path)["rows"]', _ENDLESS, False),
        (
            'np.load(path)["rows"]',
            "for _ in range(len(self.rows)):\n            yield self.rows[random.randrange(9)]",
            False,
        ),
        ('torch.load(path)["n"]', "for i in range(self.rows):\n            yield self.env.step(i)", False),
        ('env["rows"]', _EACH, False),
        ("np.load(path)[random.randrange(9)]", _EACH, False),
    ],
)
def test_parts_that_are_streamed(
    rows: str, body: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _finds(_PROGRAM.format(rows=rows, other="", body=body), tmp_path, monkeypatch) is found


def test_parts_that_another_method_may_replace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "def keep(self, first, step):\n        self.rows = self.rows[first::step]"
    program = _PROGRAM.format(rows='np.load(path)["rows"]', other=other, body=_EACH)
    assert not _finds(program, tmp_path, monkeypatch)


def _finds(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(program)
    monkeypatch.chdir(folder)
    report = engine.check([Path()], Settings(select=("DL501",)))
    assert not report.troubles
    return bool(report.findings)
