"""Datasets around other datasets, and base classes that leave the reading to others."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """\
import functools
from concurrent.futures import ThreadPoolExecutor
from torch.utils.data import DataLoader, Dataset, Subset


class Photos(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        try:
            return read(self.paths[index])
        except OSError:
            return None  # here


class Around(Dataset):
    def __init__(self, inner, times=2):
        self.inner = inner
        self.times = times

    def __len__(self):
        return len(self.inner) * self.times

"""
_LOADED = """

for batch in DataLoader(Around(Photos(paths)), batch_size=4, num_workers=2):
    pass
"""


def _lines(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch, code: str) -> list[int]:
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(program)
    monkeypatch.chdir(folder)
    return [finding.line for finding in engine.check([Path()], Settings(select=(code,))).findings]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("        return self.inner[index]", id="as they are"),
        pytest.param("        return self.inner[index % len(self.inner)]", id="again and again"),
        pytest.param(
            """
        number = index // self.times
        return self.inner[number]
""",
            id="a number worked out",
        ),
    ],
)
def test_none_of_an_inner_dataset(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"{_HEAD}    def __getitem__(self, index):\n{body}\n{_LOADED}"
    there = program[: program.index("# here")].count("\n") + 1
    assert _lines(tmp_path, program, monkeypatch, "DL502") == [there]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        if self.inner[index] is None:
            return [0]
        return self.inner[index]
""",
            id="looked at",
        ),
        pytest.param("        return self.inner[index] or [0]", id="replaced"),
        pytest.param("        return self.inner[self.readable[index]]", id="chosen"),
        pytest.param("        return self.paths[index]", id="no dataset"),
    ],
)
def test_none_of_an_inner_dataset_that_may_stay_inside(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"{_HEAD}    def __getitem__(self, index):\n{body}\n{_LOADED}"
    assert _lines(tmp_path, program, monkeypatch, "DL502") == []


def test_none_of_an_inner_dataset_that_a_decorator_may_replace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"{_HEAD}    @retried\n    def __getitem__(self, index):\n        return self.inner[index]\n"
    assert _lines(tmp_path, program + _LOADED, monkeypatch, "DL502") == []


_BASE = """\
from concurrent.futures import ThreadPoolExecutor
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Base(Dataset):
    def __getitem__(self, index):
        return self.load(index)

    def load(self, index):
        raise NotImplementedError


class Data(Base):
    def load(self, index):
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param(
            """
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(abs, [index]))
""",
            1,
            id="a pool an item",
        ),
        pytest.param(
            """
        if self.pool is None:
            self.pool = ThreadPoolExecutor(2)
        return list(self.pool.map(abs, [index]))
""",
            0,
            id="a pool that is kept",
        ),
    ],
)
def test_pool_in_what_the_base_class_calls(
    body: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"{_BASE}{body}\n\nfor batch in DataLoader(Data(), num_workers=2):\n    pass\n"
    assert len(_lines(tmp_path, program, monkeypatch, "DL103")) == found


_OF_PARTS = """\
from concurrent.futures import ThreadPoolExecutor
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Photos:
    def __len__(self):
        return 3

    def __getitem__(self, index):
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(abs, [index]))


"""


def test_pool_of_an_inner_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Data(Dataset):
    def __init__(self, inner):
        self.inner = inner

    def __getitem__(self, index):
        return self.inner[index]


for batch in DataLoader(Data(Photos()), num_workers=2):
    pass
"""
    assert _lines(tmp_path, _OF_PARTS + program, monkeypatch, "DL103") == [10]


def test_pool_of_a_part_that_a_stream_reads_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Data(IterableDataset):
    def __init__(self, inner):
        self.inner = inner

    def __iter__(self):
        head = self.inner[0]
        yield from head


for batch in DataLoader(Data(Photos()), num_workers=2):
    pass
"""
    assert _lines(tmp_path, _OF_PARTS + program, monkeypatch, "DL103") == []
