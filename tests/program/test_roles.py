"""As what names stand in files: found by one search of each text."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dlint.project.index.roles import Roles
from program.sources import agree

TEXT = b"""
class Child(Base, metaclass=Meta): pass

class Typed[T: (int, str)](Deriving[T], Generic[T]): pass

class Wide(
    one.Other,
):
    def f(self, runner):
        self.own = 1
        runner.mode = self.way = 2
        Settings.workers = 0
        runner.settings.depth == 3
        make().made = 4
        held[0].item = 5
        getattr(runner, "train")(getattr(x, 'valid', None))
        getattr(runner, "a" + name)
        print(f"{runner.shown=}, {runner.seen = :>3}, {runner.told=!r}")
        if runner: runner.late = 6
        table[1, 2: 3], runner.beside = 7, 8
    def g(self, gpu: str | torch.gpu = "cpu", kind: dict[str, int] | sub.kind | sub.other = None): pass
"""


@pytest.fixture
def roles() -> Roles:
    return Roles(lambda relative: TEXT)


@pytest.mark.parametrize("name", [b"Base", b"Meta", b"one", b"Other", b"Deriving", b"Generic"])
def test_bases_stand_in_the_head_of_a_class(roles: Roles, name: bytes) -> None:
    assert roles.is_base("a.py", name)


def test_what_stands_in_the_body_is_no_base(roles: Roles) -> None:
    assert not roles.is_base("a.py", b"workers")


@pytest.mark.parametrize("name", [b"mode", b"workers", b"made", b"item", b"late", b"beside"])
def test_stores_in_others(roles: Roles, name: bytes) -> None:
    assert roles.is_stored("a.py", name)


@pytest.mark.parametrize(
    "name", [b"own", b"way", b"depth", b"shown", b"seen", b"told", b"gpu", b"kind", b"other"]
)
def test_what_is_no_store_in_another(roles: Roles, name: bytes) -> None:
    assert not roles.is_stored("a.py", name)


def test_stores_in_what_goes_by_a_name(roles: Roles) -> None:
    assert roles.is_stored_in("a.py", b"Settings", b"workers")
    assert not roles.is_stored_in("a.py", b"runner", b"workers")
    assert not roles.is_stored_in("a.py", b"", b"made")


def test_texts_that_getattr_is_given(roles: Roles) -> None:
    assert roles.is_asked_for("a.py", b"train")
    assert roles.is_asked_for("a.py", b"valid")
    assert not roles.is_asked_for("a.py", b"a")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python reads type parameters from 3.12 on")
def test_classes_with_type_parameters(tmp_path: Path) -> None:
    program = """
        from torch.utils.data import DataLoader, IterableDataset

        class Source[T](IterableDataset[T]):
            pass

        class Lines[T: str](Source[T]):
            def __iter__(self):  # expect: DL501
                yield from open("a.txt")

        class Quiet[T](DataLoader[T]):
            def __init__(self, data):
                super().__init__(data, num_workers=0, prefetch_factor=2)

        def run():
            return Quiet[str](Lines[str]()), DataLoader(Lines[str](), num_workers=2)  # expect: DL304
    """
    agree(tmp_path, {"main.py": program}, "DL304", "DL501")
