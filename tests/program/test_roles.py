"""As what names stand in files: found by one search of each text."""

from __future__ import annotations

import pytest

from dlint.project.index.roles import Roles

TEXT = b"""
class Child(Base, metaclass=Meta): pass

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
"""


@pytest.fixture
def roles() -> Roles:
    return Roles(lambda relative: TEXT)


@pytest.mark.parametrize("name", [b"Base", b"Meta", b"one", b"Other"])
def test_bases_stand_in_the_head_of_a_class(roles: Roles, name: bytes) -> None:
    assert roles.is_base("a.py", name)


def test_what_stands_in_the_body_is_no_base(roles: Roles) -> None:
    assert not roles.is_base("a.py", b"workers")


@pytest.mark.parametrize("name", [b"mode", b"workers", b"made", b"item"])
def test_stores_in_others(roles: Roles, name: bytes) -> None:
    assert roles.is_stored("a.py", name)


@pytest.mark.parametrize("name", [b"own", b"way", b"depth"])
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
