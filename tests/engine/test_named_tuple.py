"""dlint's own ``NamedTuple`` does what typing's does."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from dlint import named_tuple


class Ours(named_tuple.NamedTuple):
    """A place."""

    path: str
    line: int = 1
    names: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


class Theirs(typing.NamedTuple):
    path: str
    line: int = 1
    names: tuple[str, ...] = ()


class Derived(Ours):
    """One with the same fields."""


def test_it_is_made_as_typings_is() -> None:
    for one, other in ((Ours("a"), Theirs("a")), (Ours("a", names=("b",)), Theirs("a", names=("b",)))):
        assert one == other
        assert hash(one) == hash(other)
        assert repr(one) == repr(other).replace("Theirs", "Ours")
        assert one._asdict() == other._asdict()
    assert Ours._fields == Theirs._fields == Ours.__match_args__
    assert Ours._field_defaults == Theirs._field_defaults
    assert type(Ours) is type
    assert not hasattr(Ours("a"), "__dict__")
    assert Ours.__doc__ == "A place."
    assert Ours("a").place == "a:1"
    assert Derived("a", 2).place == "a:2"


def test_it_is_changed_and_sent_as_typings_is() -> None:
    one = Ours("a", 2)
    assert one._replace(line=3) == ("a", 3, ())
    assert type(one._replace(line=3)) is Ours
    assert Ours._make(["a", 2, ()]) == one
    for sent in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert sent == one
        assert type(sent) is Ours


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(TypeError, match="path"):
        Ours()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="column"):
        Ours("a", column=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="column"):
        Ours("a")._replace(column=1)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Ours("a").line = 3  # type: ignore[misc]
