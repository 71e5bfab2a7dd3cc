"""Many short programs in few processes: most of what a short program costs is importing torch.

What a program does after its imports does not depend on who imported torch, and workers started afresh import
it anew. What may depend on it (programs that hang, that are timed, that set the environment for libraries)
runs by itself; `dlint prove` runs every program by itself.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from dlint.proofs.proof import Proof, StartMethod
from dlint.proofs.run import Run
from dlint.running.runner import Result, Runner

_SCRIPT = Path(__file__).with_name("one_after_another.py")
_PROGRAMS = "DLINT_TEST_PROGRAMS"


@dataclasses.dataclass(frozen=True)
class Batch:
    """A run of the script that runs the programs of ``members``, by their paths."""

    run: Run
    members: dict[str, list[Run]]

    def results(self, result: Result) -> Iterator[tuple[Run, Result]]:
        """The result of each member, from that of the script."""
        # A program that stands still keeps the script from ending: for it and those behind it, what is
        # known of the script holds.
        each = dict.fromkeys(self.members, dataclasses.replace(result, status=result.status or 1))
        for line in result.stdout.splitlines():
            told = json.loads(line)
            program = told.pop("program")
            each[program] = Result("exit", **told)
        for program, runs in self.members.items():
            for run in runs:
                yield run, each[program]


class BatchRunner:
    """A runner that runs programs in batches where they may; ``folder`` is for what the batches need."""

    def __init__(self, runner: Runner[Run], folder: Path) -> None:
        self._runner = runner
        self._folder = folder

    def run(self, runs: Sequence[Run]) -> Iterator[tuple[Run, Result]]:
        """Run the programs and give each result as it comes."""
        inside = sorted(filter(_belongs, runs), key=_kind)
        batches = [_batch([*members], self._folder) for _, members in groupby(inside, key=_kind)]
        of_place = {batch.run.proof.folder: batch for batch in batches}
        alone = [run for run in runs if not _belongs(run)]
        for run, result in self._runner.run([*(batch.run for batch in batches), *alone]):
            batch = of_place.get(run.proof.folder)
            if batch is None:
                yield run, result
            else:
                yield from batch.results(result)


def _belongs(run: Run) -> bool:
    proof = run.proof
    return (
        proof.outcome in ("error", "silent")
        and not proof.alone
        and not proof.environment
        and not proof.needs.openmp_opencv
        and not proof.needs.older_torch
    )


def _kind(run: Run) -> tuple[Path, StartMethod]:
    return run.proof.folder, run.method


def _batch(runs: list[Run], folder: Path) -> Batch:
    home, method = _kind(runs[0])
    place = folder / f"batch-{home.name}-{method}"
    place.mkdir()
    shutil.copy(_SCRIPT, place)
    (place / home.name).symlink_to(home, target_is_directory=True)
    members: dict[str, list[Run]] = {}
    for run in runs:
        members.setdefault(f"{home.name}/{run.path}", []).append(run)
    proof = Proof(
        code=runs[0].proof.code,
        rule=runs[0].proof.rule,
        folder=place,
        name="batch",
        claim="",
        bad=_SCRIPT.name,
        outcome="silent",
        limit=sum(run.proof.limit for run in runs),
        environment={_PROGRAMS: json.dumps(list(members))},
    )
    return Batch(Run(proof, proof.bad, method), members)
