"""Programs put together around loaders: what is drawn from a hoisted iterator, who shuffles, who is told the
epoch."""

from __future__ import annotations

import types
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dlint.rewriting.refusal import CannotRepair
from tests.remedies.case import Case, repaired

_SETTINGS = settings(max_examples=60, deadline=None)


class _Loader:
    """A loader of so many batches that counts its iterators."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.started = 0
        self.loader = self

    def __iter__(self) -> Any:
        self.started += 1
        return iter(range(self.length))


# A statement that draws, in a function that notes what it has seen.
_DRAWS = (
    "x = ⟦next(iter({0}))⟧\nseen.append(x)\n",
    "x = y = ⟦next(iter({0}))⟧  # both\nseen.append(y)\n",
    "seen.append(⟦next(iter({0}))⟧)\n",
    "seen.append(len(str((⟦next(iter({0}))⟧))))\n",
    "x, = (⟦next(iter({0}))⟧,)\nseen.append(x)\n",
    "if step % 2:\n    # every other\n    seen.append(⟦next(iter({0}))⟧)\nseen.append('step')\n",
    "seen.append((step, ⟦next(iter({0}))⟧))\n",
    "try:\n    x = ⟦next(iter({0}))⟧\nfinally:\n    seen.append('done')\n",
)
_LOOPS = (
    "for step in range(5):\n{0}",
    "step = 0\nwhile step < 5:\n{0}    step += 1\n",
    "for epoch in range(2):\n    for step in range(3):\n{1}",
    "for step in range(5):\n    other = [each for each in range(2)]\n    [batches] = [0]\n{0}",
    "for step in range(6):\n    with open(__file__) as loader_file:\n{1}",
)


def _block(text: str, depth: int) -> str:
    return "".join("    " * depth + line for line in text.splitlines(keepends=True))


@_SETTINGS
@given(
    st.sampled_from(_LOOPS),
    st.sampled_from(_DRAWS),
    st.sampled_from(["loader", "loader.loader"]),
    st.integers(1, 4),
)
def test_a_hoisted_iterator_gives_as_many_batches_one_after_the_other(
    loop: str, draw: str, name: str, length: int
) -> None:
    inner = draw.format(name)
    body = loop.format(_block(inner, 1), _block(inner, 2))
    marked = f"def run(loader, seen):\n{_block(body, 1)}    return seen\n"
    before = marked.replace("⟦", "").replace("⟧", "")
    after = repaired(Case("hoist_iterator", "made up", marked, {}, ""))
    outcome = {}
    for code in (before, after):
        names: dict[str, Any] = {"__file__": __file__}
        exec(code, names)
        loader = _Loader(length)
        outcome[code] = (names["run"](loader, []), loader.started)
    (old, old_started), (new, new_started) = outcome[before], outcome[after]
    assert [type(each) for each in old] == [type(each) for each in new]
    drawn = [each[1] if isinstance(each, tuple) else each for each in new if not isinstance(each, str)]
    if "len(" not in draw and "finally" not in draw:
        assert drawn == [index % length for index in range(len(drawn))]
    # An iterator for every round of the loader, and no more.
    assert new_started == max(1, -(-old_started // length))


_SAMPLERS = ("sampler", "self.sampler", "None", "[1]")
_SHUFFLES = (
    "True",
    "shuffle",
    "self.shuffle",
    "not shuffle",
    "bool(shuffle)",
    "shuffle == 1",
    "shuffle or 1",
)


def _made(dataset: object, shuffle: object = False, sampler: object = None) -> tuple[bool, object]:
    if sampler is not None and shuffle:
        raise ValueError
    return bool(shuffle), sampler


@_SETTINGS
@given(st.sampled_from(_SAMPLERS), st.sampled_from(_SHUFFLES), st.booleans())
def test_a_loader_shuffles_where_it_has_no_sampler_and_nothing_else_changes(
    sampler: str, shuffle: str, first: bool
) -> None:
    given_arguments = [f"shuffle={shuffle}", f"sampler={sampler}"]
    arguments = ", ".join(given_arguments if first else reversed(given_arguments))
    marked = f"def make(self, shuffle, sampler):\n    return ⟦DataLoader(1, {arguments})⟧\n"
    try:
        after = repaired(Case("shuffle_without_sampler", "made up", marked, {}, ""))
    except CannotRepair:
        assert sampler in ("None", "[1]")
        return
    before = marked.replace("⟦", "").replace("⟧", "")
    for wanted in (True, False, 0, 1, None):
        for chosen in (None, [], [1]):
            results = []
            for code in (before, after):
                names: dict[str, Any] = {"DataLoader": _made}
                exec(code, names)
                self = types.SimpleNamespace(shuffle=wanted, sampler=chosen)
                try:
                    results.append(names["make"](self, wanted, chosen))
                except ValueError:
                    results.append("refused")
            old, new = results
            assert new == (old if old != "refused" else (False, chosen)), after


_EPOCHS = (
    "for epoch in range(start, 5):\n",
    "for _ in range(5):\n",
    "for i in range(5):\n",
    "epoch = start\nwhile epoch < 5:\n    epoch += 1\n",
    "for epoch, rate in enumerate('abc'):\n",
    "for fold in range(2):\n    pass\nfor _ in range(3):\n",
)
_BODIES = ("trained.append(list(loader))\n", "for x, _ in zip(loader, loader):\n    trained.append(x)\n")
_MAKERS = (
    "sampler = DistributedSampler()\n",
    "sampler = DistributedSampler() if distributed else None\n",
    "if distributed:\n    sampler = DistributedSampler()\nelse:\n    sampler = None\n",
    "sampler = None\nif distributed:\n    sampler = DistributedSampler()\n",
    "sampler = 1\nif distributed:\n    sampler = DistributedSampler()\n",
)


@_SETTINGS
@given(
    st.sampled_from(_MAKERS),
    st.sampled_from(_EPOCHS),
    st.sampled_from(_BODIES),
    st.booleans(),
    st.integers(0, 2),
)
def test_the_sampler_is_told_another_epoch_every_round(
    maker: str, loop: str, body: str, distributed: bool, start: int
) -> None:
    text = f"{maker}loader = Loader(sampler)\n{loop}{_block(body, 1)}return trained\n"
    code = f"def run(distributed, start, trained):\n{_block(text, 1)}"
    before = code
    line = next(
        number
        for number, each in reversed(list(enumerate(code.splitlines(), 1)))
        if each.startswith(("    for", "    while"))
    )
    marked = code.replace("DistributedSampler()", "⟦DistributedSampler()⟧", 1)
    data = {"sampler": "sampler", "path": "module.py", "line": line, "loader": "loader", "sure": False}
    after = repaired(Case("insert_set_epoch", "made up", marked, data, ""))
    told: list[int] = []

    class DistributedSampler:
        def set_epoch(self, epoch: int) -> None:
            told.append(epoch)

    class Loader:
        def __init__(self, sampler: object) -> None:
            self.sampler = sampler

        def __iter__(self) -> Any:
            return iter(range(3))

    results = []
    for each in (before, after):
        names: dict[str, Any] = {"DistributedSampler": DistributedSampler, "Loader": Loader}
        exec(each, names)
        results.append(names["run"](distributed, start, []))
        if each is before:
            assert told == []
    assert results[0] == results[1]
    if distributed or maker is _MAKERS[0]:
        assert len(told) == len(set(told)) >= 2
    else:
        assert told == []
