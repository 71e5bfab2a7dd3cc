"""Every fixture keeps its promise: bad programs fail as claimed, fixed ones and near misses run clean."""

from __future__ import annotations

import pytest

from dlint.proofs import judge
from dlint.proofs.environment import Environment
from dlint.proofs.proof import Fixture

from .conftest import FIXTURES, Results, Wanted, near_miss, near_misses

CLAIMS = [
    Wanted(proof, method)
    for fixture in FIXTURES
    for proof in fixture.proofs
    for method in proof.start_methods
]
NEAR_MISSES = [near_miss(fixture, program) for fixture in FIXTURES for program in near_misses(fixture)]


@pytest.mark.parametrize("wanted", CLAIMS, ids=str)
def test_claim(wanted: Wanted, this_machine: Environment, request: pytest.FixtureRequest) -> None:
    if why := this_machine.lacks(wanted.proof.needs, wanted.method):
        pytest.skip(f"not shown here: {why}")
    results: Results = request.getfixturevalue("results")
    verdict = results.verdict(wanted)
    said = "\n\n".join(f"{run.program}:\n{results.of(run).stderr[-3000:]}" for run in wanted.runs())
    assert verdict.status == "shown", f"{verdict}\n{said}"


@pytest.mark.parametrize("wanted", NEAR_MISSES, ids=str)
def test_near_miss_runs_clean(
    wanted: Wanted, this_machine: Environment, request: pytest.FixtureRequest
) -> None:
    if why := this_machine.lacks(wanted.proof.needs, wanted.method):
        pytest.skip(f"not shown here: {why}")
    results: Results = request.getfixturevalue("results")
    result = results.of(wanted.runs()[0])
    assert judge.ran_clean(result), f"{result.end} {result.status} {result.where}\n{result.stderr[-3000:]}"


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.folder.name)
def test_no_program_is_forgotten(fixture: Fixture) -> None:
    if fixture.no_proof:
        return
    claimed = {program for proof in fixture.proofs for program in judge.programs(proof)}
    assert (fixture.folder / "bad.py").exists()
    assert "bad.py" in claimed
    not_cures = {path.name for path in fixture.folder.glob("not_a_cure_*")}
    assert not_cures <= claimed
