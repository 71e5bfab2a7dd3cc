"""What the probe sees of objects, without running any of their code."""

from __future__ import annotations

import functools
import random
import threading
from typing import Any

import numpy as np
import pytest
import torch

from dlint.trial.probe.holds.generators import Held, fingerprints
from dlint.trial.probe.holds.items import fingerprint, unsendable
from dlint.trial.probe.holds.refused import refused
from dlint.trial.probe.holds.walk import held
from dlint.trial.probe.load import value_of
from dlint.trial.probe.recorder import _is_locked


class Slotted:
    __slots__ = ("rng", "unset")

    def __init__(self) -> None:
        self.rng = random.Random(0)


class Property:
    @property
    def trap(self) -> object:
        raise AssertionError("a property was asked")

    def __getattr__(self, name: str) -> object:
        raise AssertionError("__getattr__ was asked")


class Outer:
    def __init__(self) -> None:
        self.steps = [np.random.default_rng(0), {"inner": torch.Generator()}]
        self.call = functools.partial(max, np.random.RandomState(1))
        self.slotted = Slotted()
        self.trap = Property()
        self.me = self
        local = random.Random(5)
        self.close = lambda: local


def test_generators_are_found_by_their_paths() -> None:
    found = Held([("dataset", Outer())])
    found.look()
    assert {path for path in found.fingerprints() if path.startswith("dataset")} == {
        "dataset.steps[0]",
        "dataset.steps[1]['inner']",
        "dataset.call.args[0]",
        "dataset.slotted.rng",
        "dataset.close:local",
    }


def test_a_draw_changes_the_state_and_nothing_else_does() -> None:
    outer = Outer()
    found = Held([("dataset", outer)])
    found.look()
    before = found.fingerprints(), fingerprints()
    assert (found.fingerprints(), fingerprints()) == before
    outer.steps[0].random()  # type: ignore[attr-defined]
    torch.rand(1, generator=outer.steps[1]["inner"])  # type: ignore[index,call-overload]
    after = found.fingerprints()
    changed = {path for path, state in after.items() if before[0][path] != state}
    assert changed == {"dataset.steps[0]", "dataset.steps[1]['inner']"}
    np.random.random()
    assert {name for name, state in fingerprints().items() if before[1][name] != state} == {"numpy"}


def test_shared_streams_are_no_generators_of_the_dataset() -> None:
    found = Held([("dataset", [random._inst, torch.default_generator])])  # type: ignore[attr-defined]
    found.look()
    assert not [path for path in found.fingerprints() if path.startswith("dataset")]


def test_what_is_huge_is_walked_in_part() -> None:
    assert sum(1 for _ in held([list(range(1000)) for _ in range(1000)], "dataset")) < 20_001


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.ones(2), torch.zeros(2)),
        (torch.ones(2), torch.ones(2).double()),
        (np.ones(2), np.zeros(2)),
        ({"a": 1}, {"a": 2}),
        ((1, [2]), (1, [3])),
        ("1", 1),
    ],
)
def test_items_that_differ(one: object, other: object) -> None:
    assert fingerprint(one)[0] != fingerprint(other)[0]
    assert fingerprint(one) == fingerprint(one)


def test_what_has_no_bytes_is_not_whole() -> None:
    assert fingerprint((1, object()))[1] is False
    assert fingerprint((1, torch.ones(1)))[1] is True


def test_what_of_an_item_cannot_be_sent() -> None:
    assert unsendable({"image": torch.ones(1), "label": 3, "names": ["a"]}, "batch") is None
    found = unsendable({"image": 1, "make": [1, (each for each in ())]}, "batch")
    assert found is not None
    assert found[:2] == ("batch['make'][1]", "builtins.generator")


class Transform:
    def __init__(self, fn: Any) -> None:
        self.fn = fn


class Dataset:
    def __init__(self, fn: Any) -> None:
        self.transforms = [Transform(max), Transform(fn)]


class Careful(Dataset):
    def __getstate__(self) -> dict[str, object]:
        return {"count": 3, "bad": self.transforms[1].fn}


def test_what_pickle_refuses_by_its_path() -> None:
    assert refused(Dataset(max), "dataset") is None
    found = refused(Dataset(lambda: 1), "dataset")
    assert found is not None
    assert (found.path, found.cls) == ("dataset.transforms[1].fn", "builtins.function")
    assert "<lambda>" in found.name


def test_what_is_sent_by_its_name_is_refused_as_a_whole() -> None:
    lock = threading.Lock()
    for given, cls in ((random, "builtins.module"), (lambda: lock, "builtins.function")):
        found = refused(Dataset(given), "dataset")
        assert found is not None
        assert (found.path, found.cls) == ("dataset.transforms[1].fn", cls)


def test_what_is_not_sent_is_not_blamed() -> None:
    found = refused(Careful(threading.Lock()), "dataset")
    assert found is not None
    assert (found.path, found.cls) == ("dataset.bad", "_thread.lock")


def test_locks() -> None:
    lock, again = threading.Lock(), threading.RLock()
    assert not _is_locked(lock)
    assert not _is_locked(again)
    with lock, again:
        assert _is_locked(lock)
        assert _is_locked(again)


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("None", None), ("[1, 2]", [1, 2]), ("a/b", "a/b"), ("f(x", "f(x")]
)
def test_arguments(text: str, value: object) -> None:
    assert value_of(text) == value
