"""What objects hold that are made of fields, and settings that somebody else sets."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from dlint.source.desugaring.plain import made_plain
from program.sources import agree

_WRITTEN = {
    "defaults": (
        """
        @dataclass
        class A:
            a: int
            b: int = 2
            c: ClassVar[int] = 3
        """,
        """
        def __init__(self, a: int, b: int = 2):
            self.a = a
            self.b = b
        """,
    ),
    "factories and what nobody gives": (
        """
        @dataclasses.dataclass(frozen=True)
        class A(Dataset):
            a: list = field(default_factory=list)
            b: int = field(init=False, default=1)
            c: int = field(init=False)
            d: InitVar[int] = 0
            e: Any = field(init=False, default_factory=make)
        """,
        """
        def __init__(self, a: list = None, d: InitVar[int] = 0):
            self.a = list() if a is None else a
            self.b = 1
            self.e = make()
        """,
    ),
    "fields of a base come first": (
        """
        @dataclass
        class A(Settings):
            a: int = 1

            def __post_init__(self):
                pass
        """,
        """
        def __init__(self, *args, a: int = 1, **kwargs):
            super().__init__(*args, **kwargs)
            self.a = a
            self.__post_init__()
        """,
    ),
    "one that must be given behind one that need not": (
        """
        class A(BaseModel):
            a: int = 1
            b: int = Field(..., gt=0)
        """,
        """
        def __init__(self, *, a: int = 1, b: int):
            self.a = a
            self.b = b
        """,
    ),
    "a tuple with names": (
        "class A(NamedTuple):\n    a: int\n    b: int = 2",
        "def __init__(self, a: int, b: int = 2):\n    self.a = a\n    self.b = b",
    ),
}
_OTHERS = [
    "class A:\n    a: int = 1",
    "@dataclass\nclass A:\n    pass",
    "@dataclass(init=True)\nclass A:\n    a: int = 1\n\n    def __init__(self):\n        pass",
    "@register\nclass A:\n    a: int = 1",
]


def _class(text: str) -> ast.ClassDef:
    [node] = made_plain(ast.parse(dedent(text)), dedent(text)).body
    assert isinstance(node, ast.ClassDef)
    return node


@pytest.mark.parametrize("name", _WRITTEN)
def test_what_python_writes(name: str) -> None:
    text, expected = _WRITTEN[name]
    *_, made = _class(text).body
    assert ast.unparse(made) == ast.unparse(ast.parse(dedent(expected)))
    lines = range(1, dedent(text).count("\n") + 2)
    assert all(node.lineno in lines for node in ast.walk(made) if isinstance(node, ast.stmt | ast.expr))


@pytest.mark.parametrize("text", _OTHERS)
def test_what_python_leaves_alone(text: str) -> None:
    before = [s.name for s in ast.walk(ast.parse(text)) if isinstance(s, ast.FunctionDef)]
    assert [s.name for s in ast.walk(_class(text)) if isinstance(s, ast.FunctionDef)] == before


_SETTINGS = """\
import cv2
import dataclasses
from dataclasses import dataclass
from torch.utils.data import DataLoader, Dataset, DistributedSampler


{kind}
    workers: int = {default}
    shuffle: bool = True


class Photos(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return cv2.imread(str(index)){found}


def main():
    cfg = Settings(workers={workers}, shuffle={shuffle})
    dataset = Photos()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, num_workers=cfg.workers, sampler=sampler, shuffle=cfg.shuffle){conflict}
    for batch in loader:
        print(batch)


if __name__ == "__main__":
    main()
"""
_KINDS = [
    "@dataclass\nclass Settings:",
    "@dataclasses.dataclass(frozen=True)\nclass Settings:",
    "class Settings(typing.NamedTuple):",
    "class Settings(BaseModel):",
    "@dataclass\nclass Base:\n    name: str\n\n\n@dataclass\nclass Settings(Base):",
]


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("given", [True, False])
def test_settings_that_are_given(kind: str, given: bool, tmp_path: Path) -> None:
    program = _SETTINGS.format(
        kind=kind,
        default=0 if given else 4,
        workers=4 if given else 0,
        shuffle=given,
        found="  # expect: DL101" if given else "",
        conflict="  # expect: DL301" if given else "",
    )
    agree(tmp_path, {"main.py": program}, "DL101", "DL301")


_DATASET = """\
from dataclasses import dataclass, field
from multiprocessing.pool import ThreadPool
from typing import Any

import cv2
import numpy as np
from torch.utils.data import DataLoader, Dataset


def read(path):
    return cv2.imread(path)  # expect: DL101


@dataclass
class Photos(Dataset):
    paths: list
    reader: Any
    pool: Any = field(default_factory=lambda: ThreadPool(4))  # expect: DL102
    rng: Any = field(
        default_factory=lambda: np.random.default_rng(0),  # expect: DL203
    )

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        self.pool.map(len, self.paths)
        return self.reader(self.paths[index]), self.rng.random()


def main():
    for batch in DataLoader(Photos(["a"], reader=read), num_workers=4):
        print(batch)


if __name__ == "__main__":
    main()
"""


def test_a_dataset_that_is_a_dataclass(tmp_path: Path) -> None:
    agree(tmp_path, {"main.py": _DATASET}, "DL101", "DL102", "DL203")


_FILLED = """\
from torch.utils.data import DataLoader, SequentialSampler


class Settings:
    shuffle = True
    seen = False

    {method}


def main(dataset, given):
    cfg = Settings()
    cfg.take(given)
    DataLoader(dataset, sampler=SequentialSampler(dataset), shuffle=cfg.shuffle){found}
"""
_METHODS = {
    "by name": "def take(self, given):\n        for k, v in given.items():\n            setattr(self, k, v)",
    "all at once": "def take(self, given):\n        self.__dict__.update(given)",
    "one by one": "def take(self, given):\n        for k in given:\n            vars(self)[k] = given[k]",
    "found: by a name that is written": "def take(self, given):\n        setattr(self, 'seen', given)",
    "found: by names of a kind": "def take(self, given):\n        setattr(self, f'seen{given}', 1)",
    "found: sent to a worker": (
        "def __setstate__(self, state):\n        self.__dict__.update(state)\n\n"
        "    def take(self, given):\n        self.seen = given"
    ),
}


@pytest.mark.parametrize("name", _METHODS)
def test_settings_that_are_set_by_names(name: str, tmp_path: Path) -> None:
    found = "  # expect: DL301" if name.startswith("found") else ""
    agree(tmp_path, {"main.py": _FILLED.format(method=_METHODS[name], found=found)}, "DL301")


_SET = """\
from torch.utils.data import DataLoader, SequentialSampler


class Settings:
    shuffle = True


class Others:
    shuffle = True


{set}


def main(dataset):
    DataLoader(dataset, sampler=SequentialSampler(dataset), shuffle={read}){found}
"""


@pytest.mark.parametrize("read", ["Settings.shuffle", "Settings().shuffle"])
@pytest.mark.parametrize("silent", [True, False])
def test_settings_that_are_set_on_their_class(silent: bool, read: str, tmp_path: Path) -> None:
    setting = (
        "Settings.shuffle = False" if silent else "assert Settings.shuffle == True\nOthers.shuffle = False"
    )
    found = "" if silent else "  # expect: DL301"
    agree(tmp_path, {"main.py": _SET.format(set=setting, read=read, found=found)}, "DL301")


_GLOBAL = """\
from torch.utils.data import DataLoader, SequentialSampler

shuffle = True


def setup(given):
    {declared}
    shuffle = given


def main(dataset):
    DataLoader(dataset, sampler=SequentialSampler(dataset), shuffle=shuffle){found}
"""


@pytest.mark.parametrize(("declared", "found"), [("global shuffle", ""), ("pass", "  # expect: DL301")])
def test_settings_that_a_function_sets(declared: str, found: str, tmp_path: Path) -> None:
    agree(tmp_path, {"main.py": _GLOBAL.format(declared=declared, found=found)}, "DL301")
