"""Loaders that a test makes in order to see them refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """\
import unittest

import pytest
from torch.utils.data import DataLoader, SequentialSampler, TensorDataset


def make(data, sampler=None, shuffle=True):
    return DataLoader(data, sampler=sampler, shuffle=shuffle)


"""


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        pytest.param(
            """
def test_refused():
    with pytest.raises(ValueError, match="exclusive"):
        DataLoader([1], batch_sampler=[[0]], batch_size=2)
""",
            [],
            id="pytest",
        ),
        pytest.param(
            """
class Refused(unittest.TestCase):
    def test_refused(self):
        for size in (2, 4):
            with self.subTest(size), self.assertRaises(ValueError):
                DataLoader([1], batch_sampler=[[0]], batch_size=2)
""",
            [],
            id="unittest",
        ),
        pytest.param(
            """
def test_refused():
    with pytest.raises(ValueError):
        make([1], SequentialSampler([1]))
    make([1], SequentialSampler([1]), shuffle=False)
""",
            [],
            id="through a function",
        ),
        pytest.param(
            """
def test_loads():
    with pytest.raises(ValueError):
        make([1], SequentialSampler([1]))
    make([2], SequentialSampler([2]))
""",
            [8],
            id="found: another call is not expected to raise",
        ),
        pytest.param(
            """
def test_loads():
    with pytest.warns(UserWarning):
        DataLoader([1], batch_sampler=[[0]], batch_size=2)
""",
            [14],
            id="found: a warning is no error",
        ),
    ],
)
def test_expected_errors(
    program: str, lines: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "test_loading.py").write_text(_HEAD + program)
    monkeypatch.chdir(tmp_path)
    findings = engine.check([Path()], Settings(select=("DL301", "DL302"))).findings
    assert [finding.line for finding in findings] == lines
