"""Streams that hand on what a reader of the program's own gives: it may be the reader that divides them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_PROGRAM = """\
import numpy as np
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Reader:
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        {first}
        with open(self.path) as lines:
            for number, line in enumerate(lines):
                {test}
                    yield line


class Data(IterableDataset):
    def __init__(self, reader):
        self.reader = reader

    def __iter__(self):
        {body}


loader = DataLoader(Data(Reader("lines.txt")), num_workers=2)
"""
_WAYS = [
    pytest.param("yield from self.reader", id="yield from"),
    pytest.param("return iter(self.reader)", id="iter"),
    pytest.param("yield from iter(self.reader)", id="yield from iter"),
    pytest.param("for line in self.reader: yield line", id="a loop"),
    pytest.param("stream = self.reader\n        for line in stream: yield line", id="a variable"),
    pytest.param("for number, line in enumerate(self.reader): yield number, line", id="enumerate"),
    pytest.param("return map(str.strip, self.reader)", id="map"),
    pytest.param("reader = Reader('lines.txt')\n        yield from reader", id="a reader made here"),
]


def _codes(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(program)
    monkeypatch.chdir(folder)
    report = engine.check([Path()], Settings(select=("DL201", "DL501")))
    assert not report.troubles
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("body", _WAYS)
def test_divided_by_the_reader(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, test = "info = get_worker_info()", "if number % info.num_workers == info.id:"
    program = _PROGRAM.format(first=first, test=test, body=body)
    assert _codes(program, tmp_path, monkeypatch) == []


@pytest.mark.parametrize("body", _WAYS)
def test_divided_by_nobody(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _PROGRAM.format(first="skipped = 'x'", test="if line != skipped:", body=body)
    assert _codes(program, tmp_path, monkeypatch) == ["DL501"]


@pytest.mark.parametrize(
    "body", ["yield from self.reader", "return iter(self.reader)", "yield from iter(self.reader)"]
)
def test_what_the_reader_does_is_worker_code(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _PROGRAM.format(first="self.begin()", test="if self.is_mine(number):", body=body).replace(
        "class Data",
        """\
    def begin(self):
        np.random.seed(0)
        self.info = get_worker_info()

    def is_mine(self, number):
        return number % self.info.num_workers == self.info.id


class Data""",
    )
    assert _codes(program, tmp_path, monkeypatch) == ["DL201"]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("self.names()", []),
        ("self.paths", ["DL501"]),
        ("sorted(self.paths)", ["DL501"]),
        ("self.paths[self.first :: self.step]", []),
    ],
)
@pytest.mark.parametrize("in_variable", [False, True])
def test_files_whose_names_are_from_elsewhere(
    names: str, found: list[str], in_variable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"paths = {names}", "for path in paths:"] if in_variable else [f"for path in {names}:"]
    begin = "\n        ".join(lines)
    program = f"""\
from torch.utils.data import DataLoader, IterableDataset


class Data(IterableDataset):
    def __init__(self, paths, first, step):
        self.paths, self.first, self.step = paths, first, step

    def names(self):
        while (name := self.paths.get()) is not None:
            yield name

    def __iter__(self):
        {begin}
            with open(path) as lines:
                yield from lines


def main(paths, first, step):
    return DataLoader(Data(paths, first, step), num_workers=2)
"""
    assert _codes(program, tmp_path, monkeypatch) == found
