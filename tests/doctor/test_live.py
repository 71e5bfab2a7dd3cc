"""Programs that hang, looked at from outside while they do: the right rule, the right line, and they go on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from dlint import engine
from dlint.doctor.attach import attach
from dlint.doctor.diagnosis import Diagnosis, diagnose
from dlint.finding import Finding
from dlint.proofs import environment, programs
from dlint.proofs.environment import Environment
from dlint.proofs.proof import read
from dlint.proofs.run import Run
from dlint.running import processes
from dlint.settings.settings import Settings

from .jobs import running, wait_until_still, wait_until_workers

FIXTURES = [read(folder) for folder in programs.folders()]
HANGS = [
    Run(proof, proof.bad, method)
    for fixture in FIXTURES
    for proof in fixture.proofs
    if proof.outcome == "hang"
    for method in proof.start_methods
]


@pytest.fixture(scope="module")
def this_machine() -> Environment:
    return environment.look()


def _findings(root: Path) -> list[Finding]:
    return list(engine.check([root], Settings(start_method="fork")).findings)


def _diagnosed(run: Run, folder: Path) -> Diagnosis:
    shutil.copytree(run.proof.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "pyproject.toml").touch()
    with running(folder / run.path, run.environment("unused"), run.python) as job:
        wait_until_still(job)
        there = processes.descendants(job.pid)
        diagnosis = diagnose(attach(job.pid, seconds=2), _findings)
        assert job.poll() is None
        assert processes.descendants(job.pid) == there
        assert all(processes.state(pid) in ("S", "R", "D") for pid in [job.pid, *there])
    return diagnosis


@pytest.mark.parametrize("run", HANGS, ids=lambda run: f"{run.proof.code} {run.proof.name} {run.method}")
def test_a_hang_is_recognised(run: Run, tmp_path: Path, this_machine: Environment) -> None:
    if why := this_machine.lacks(run.proof.needs, run.method):
        pytest.skip(f"not shown here: {why}")
    diagnosis = _diagnosed(run, tmp_path / "job")
    assert diagnosis.state == "still"
    assert diagnosis.causes, [words for _, (_, words) in diagnosis.does]
    first = diagnosis.causes[0]
    assert first.cause.code == run.proof.code
    assert not [
        each.cause.code for each in diagnosis.causes if each.cause.sure and each.cause.code != run.proof.code
    ]
    assert first.cause.place is not None
    assert Path(first.cause.place.file).name == Path(run.path).name
    # And where it stands, static analysis has said so before.
    assert first.finding is not None
    assert Path(first.finding.path).name == Path(run.path).name


HEALTHY = sorted((Path(__file__).parent / "healthy").glob("*.py"))
# What their workers do, where nothing moves.
WAITS = {
    "held_elsewhere": {"sleep", "shared lock"},
    "own_pool": {"result"},
    "waits_for_disk": {"sleep"},
    "waits_for_network": {"network"},
}


@pytest.mark.parametrize("program", HEALTHY, ids=lambda path: path.stem)
def test_what_is_slow_or_waits_for_data_is_called_that(program: Path, tmp_path: Path) -> None:
    path = tmp_path / program.name
    shutil.copy(program, path)
    with running(path, os.environ) as job:
        if program.stem in WAITS:
            wait_until_still(job)
        else:
            wait_until_workers(job)
        diagnosis = diagnose(attach(job.pid, seconds=3), _findings)
        assert job.poll() is None
    assert not diagnosis.causes, [(each.cause.code, each.cause.why) for each in diagnosis.causes]
    workers = {what.kind for process, what in diagnosis.does if process.is_loader_worker}
    if program.stem in WAITS:
        assert diagnosis.state == "still"
        assert workers == WAITS[program.stem]
        assert diagnosis.hints
    else:
        assert diagnosis.state == "works"
        assert not diagnosis.hangs
