"""Hostile configuration beside a good program: refused in a line that names it, or of no harm."""

from __future__ import annotations

import pytest

from tests.fuzz.configurations import CONFIGURATIONS
from tests.fuzz.judging import of_generated
from tests.fuzz.not_yet import NOT_YET
from tests.fuzz.running import Child


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_beside_a_good_program(children: tuple[Child, Child], kind: str) -> None:
    if kind in NOT_YET:
        pytest.skip(f"not yet: {NOT_YET[kind]}")
    failures, _ = of_generated(kind, CONFIGURATIONS[kind].usual, children[0])
    assert not failures
