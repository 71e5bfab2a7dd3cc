"""The fixtures' programs through ``dlint try``: the bad ones named, the good ones clean.

All bad ones, and of the others one in four, by name; `benchmarks/tried_fixtures.py` does them all.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from dlint.proofs import environment
from dlint.proofs.environment import Environment

from .programs import Program, all_programs, codes, said, tried

# What happens after the first loop over a loader has begun is not seen, since there the program ends.
_IN_THE_LOOP = {"DL105-bad"}
_ONE_IN = 4

BAD = [program for program in all_programs("bad") if str(program) not in _IN_THE_LOOP]
GOOD = [each for each in all_programs("fixed", "near") if not zlib.crc32(str(each).encode()) % _ONE_IN]


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
