"""Runs the selected proofs beside one another, once, and hands each test its result."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator

import pytest

from dlint.proofs import environment, programs
from dlint.proofs.environment import Environment
from dlint.proofs.judge import Verdict, judge, plan
from dlint.proofs.proof import Fixture, Needs, Proof, StartMethod, read
from dlint.proofs.run import Run
from dlint.running.runner import Result, Runner

from .batches import BatchRunner

FIXTURES = [read(folder) for folder in programs.folders()]


@dataclasses.dataclass(frozen=True)
class Wanted:
    """A claim under one start method, or a near miss (then ``proof`` only carries its program)."""

    proof: Proof
    method: StartMethod
    near_miss: bool = False

    def runs(self) -> list[Run]:
        return plan(self.proof, self.method)

    def __str__(self) -> str:
        return f"{self.proof.code}-{self.proof.name.replace(' ', '_')}-{self.method}"


def near_misses(fixture: Fixture) -> list[str]:
    """The near-miss programs, as files or folders with a main.py."""
    found = fixture.folder.glob("near_*")
    return sorted(path.name for path in found if path.suffix == ".py" or path.is_dir())


def near_miss(fixture: Fixture, program: str) -> Wanted:
    needs = fixture.near.get(program, Needs())
    proof = Proof(fixture.code, fixture.rule, fixture.folder, program, "", program, "silent", needs=needs)
    return Wanted(proof, "fork", near_miss=True)


def _key(run: Run) -> tuple[str, ...]:
    return run.proof.code, run.proof.name, run.program, run.method


class Results:
    """Runs everything that the selected tests want, and waits for no more than a test asks for."""

    def __init__(self, runner: BatchRunner, wanted: list[Wanted]) -> None:
        self._done: dict[tuple[str, ...], Result] = {}
        self._results = runner.run([run for each in wanted for run in each.runs()])

    def of(self, run: Run) -> Result:
        while _key(run) not in self._done:
            finished, result = next(self._results)
            self._done[_key(finished)] = result
        return self._done[_key(run)]

    def verdict(self, wanted: Wanted) -> Verdict:
        return judge(wanted.proof, wanted.method, {run.program: self.of(run) for run in wanted.runs()})


@pytest.fixture(scope="session")
def this_machine() -> Environment:
    return environment.look()


@pytest.fixture(scope="session")
def results(
    request: pytest.FixtureRequest, this_machine: Environment, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Results]:
    selected = [
        item.callspec.params["wanted"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and hasattr(item, "callspec")
        and isinstance(item.callspec.params.get("wanted"), Wanted)
    ]
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("the proofs run beside one another by themselves: run them without -n")
    showable = [each for each in selected if this_machine.lacks(each.proof.needs, each.method) is None]
    with Runner[Run](jobs=2 * (os.cpu_count() or 1)) as runner:
        yield Results(BatchRunner(runner, tmp_path_factory.mktemp("batches")), showable)
