"""Mutated programs: no trouble of dlint's own, and the same report however it is asked for."""

from __future__ import annotations

import ast
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import mutations
from tests.fuzz.mutations import Recipe
from tests.fuzz.not_yet import NOT_YET
from tests.fuzz.properties import differences
from tests.fuzz.running import Child, written
from tests.fuzz.strategies import folder_of, recipes


@settings(settings.get_profile("fuzz"), max_examples=25)
@given(st.lists(recipes(), min_size=4, max_size=16), st.integers(0, 1000))
def test_programs_side_by_side(children: tuple[Child, Child], made: list[Recipe], seed: int) -> None:
    files = folder_of(made)
    with written(files) as folder:
        failures = differences(folder, files, *children, seed)
    assert not [each for each in failures if each.kind not in NOT_YET]


def test_a_seed_names_a_program() -> None:
    def programs() -> list[bytes]:
        chance = random.Random(7)
        return [mutations.cooked(mutations.drawn(chance), 30) for _ in range(200)]

    first = programs()
    assert first == programs()
    assert len(set(first)) > 190
    assert 100 < sum(map(_is_python, first)) < 190  # most are looked at, some are not even Python


def _is_python(data: bytes) -> bool:
    try:
        ast.parse(data)
    except (SyntaxError, ValueError):
        return False
    return True
