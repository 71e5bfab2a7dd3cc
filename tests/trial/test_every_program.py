"""The fixtures' programs through ``dlint try``: the bad ones named, the good ones clean.

Of the bad ones the first of each rule and, by name, one in three of the rest; of the others one in eight:
many are there to hang, and each takes its time. `benchmarks/tried_fixtures.py` does them all.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest

from dlint.proofs import environment
from dlint.proofs.environment import Environment

from .programs import Program, all_programs, codes, said, tried

# What happens after the first loop over a loader has begun is not seen, since there the program ends.
_IN_THE_LOOP = {"DL105-bad"}


def _one_in(number: int, programs: Iterable[Program]) -> list[Program]:
    return [each for each in programs if not zlib.crc32(str(each).encode()) % number]


_ALL_BAD = [program for program in all_programs("bad") if str(program) not in _IN_THE_LOOP]
_FIRST = {program.fixture.code: program for program in reversed(_ALL_BAD)}
BAD = list({str(each): each for each in (*_FIRST.values(), *_one_in(3, _ALL_BAD))}.values())
GOOD = _one_in(8, all_programs("fixed", "near"))


@pytest.fixture(scope="session")
def this_machine() -> Environment:
    return environment.look()


def _see_whether_it_runs_here(program: Program, machine: Environment) -> None:
    if why := machine.lacks(program.needs, "fork"):
        pytest.skip(f"not shown here: {why}")


@pytest.mark.parametrize("program", BAD, ids=str)
def test_a_mistake_is_named(
    program: Program, tmp_path: Path, this_machine: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    _see_whether_it_runs_here(program, this_machine)
    for name, value in program.environment.items():
        monkeypatch.setenv(name, value)
    verdict = tried(program, tmp_path, program.methods[:1])
    assert program.fixture.code in codes(verdict), said(verdict)


@pytest.mark.parametrize("program", GOOD, ids=str)
def test_a_sound_program_is_clean(
    program: Program, tmp_path: Path, this_machine: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    _see_whether_it_runs_here(program, this_machine)
    for name, value in program.environment.items():
        monkeypatch.setenv(name, value)
    verdict = tried(program, tmp_path, program.methods[:1])
    assert not verdict.is_wrong, said(verdict)
