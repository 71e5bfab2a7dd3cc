"""Bombs: beside each of them the good program's finding is there, in time, and nothing but lines of ours."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.bombs import BOMBS
from tests.fuzz.judging import of_generated
from tests.fuzz.not_yet import NOT_YET
from tests.fuzz.properties import GOOD, GOOD_NAME, command_failures, differences
from tests.fuzz.running import Child, command, written

# Kinds that stand for the others where a process of its own is run: deep, long, many files, large values.
_BY_ITSELF = ("sum_of_ones", "nested_ifs", "long_string", "one_long_line", "chain_of_imports", "powers")
_SMALL = 4


@pytest.mark.parametrize("kind", BOMBS)
def test_beside_a_good_program(children: tuple[Child, Child], kind: str) -> None:
    _skip(kind)
    failures, _ = of_generated(kind, BOMBS[kind].usual, children[0])
    assert not failures


@pytest.mark.parametrize("kind", _BY_ITSELF)
def test_as_a_process_of_its_own(kind: str) -> None:
    _skip(kind)
    with written({**BOMBS[kind].files(BOMBS[kind].usual), GOOD_NAME: GOOD}) as folder:
        ended = command(folder, "check", "--output-format", "concise")
    assert not command_failures(ended)


@settings(settings.get_profile("fuzz"), max_examples=12)
@given(
    st.lists(
        st.tuples(st.sampled_from(list(BOMBS)), st.integers(1, _SMALL)), min_size=1, max_size=6, unique=True
    )
)
def test_small_ones_side_by_side(children: tuple[Child, Child], chosen: list[tuple[str, int]]) -> None:
    files = {GOOD_NAME: GOOD}
    for number, (kind, size) in enumerate(chosen):
        for name, content in BOMBS[kind].files(size).items():
            files[f"bomb_{number}/{name}"] = content
    with written(files) as folder:
        assert not differences(folder, files, *children, len(chosen))


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_python_that_grows(kind: str) -> None:
    sizes = []
    for size in (1, 3, _SMALL):
        files = BOMBS[kind].files(size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for content in files.values():
                ast.parse(content)
        sizes.append(sum(map(len, files.values())))
    assert sizes == sorted(sizes)
    assert BOMBS[kind].usual <= BOMBS[kind].large


def _skip(kind: str) -> None:
    if kind in NOT_YET:
        pytest.skip(f"not yet: {NOT_YET[kind]}")


def test_what_is_not_held_yet_exists() -> None:
    from tests.fuzz.configurations import CONFIGURATIONS

    generated = {kind for kind in NOT_YET if ": " not in kind}
    assert not generated - BOMBS.keys() - CONFIGURATIONS.keys()
