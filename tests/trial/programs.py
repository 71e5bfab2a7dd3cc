"""The fixtures' programs, each alone in a folder, for ``dlint try``."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dlint import engine
from dlint.finding import Finding
from dlint.proofs import programs
from dlint.proofs.proof import Fixture, Needs, read
from dlint.settings import settings
from dlint.trial.judging import Verdict, judge
from dlint.trial.target import parse
from dlint.trial.trials import Limits, trials, ways

# Whoever has such a rule's mistake shown has chosen the rule.
_OFF_BY_DEFAULT = ("DL305", "DL504")
# torch gives each worker five seconds to end before it ends it, and here there are two.
_LIMITS = Limits(run=240, still=12)


@dataclass(frozen=True)
class Program:
    """A program of a fixture: a file, or a folder with main.py."""

    fixture: Fixture
    name: str

    @property
    def kind(self) -> str:
        """``bad``, ``fixed`` or ``near``."""
        return self.name.partition("_")[0].removesuffix(".py")

    @property
    def needs(self) -> Needs:
        """What the machine must have to run it."""
        mine = next((proof for proof in self.fixture.proofs if self.name in (proof.bad, proof.fixed)), None)
        return mine.needs if mine is not None else self.fixture.near.get(self.name, Needs())

    @property
    def methods(self) -> list[str]:
        """The start methods under which the hazard is claimed; for others those that differ most."""
        claimed = [
            method
            for proof in self.fixture.proofs
            if self.name in (proof.bad, proof.fixed)
            for method in proof.start_methods
        ]
        return list(dict.fromkeys(claimed)) or ["fork", "spawn"]

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that the proof sets for it."""
        found: dict[str, str] = {}
        for proof in self.fixture.proofs:
            if self.name in (proof.bad, proof.fixed):
                found |= proof.environment
        return found

    def __str__(self) -> str:
        return f"{self.fixture.code}-{self.name.removesuffix('.py')}"


def all_programs(*kinds: str) -> Iterator[Program]:
    """The programs of all fixtures that run."""
    for folder in programs.folders():
        fixture = read(folder)
        if fixture.no_proof:
            continue
        for path in sorted(folder.iterdir()):
            program = Program(fixture, path.name)
            if (path.is_dir() or path.suffix == ".py") and program.kind in kinds:
                yield program


def laid_out(program: Program, folder: Path) -> Path:
    """Copy a program into a folder, alone; the file to run."""
    source = program.fixture.folder / program.name
    if source.is_dir():
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        main = folder / "main.py"
    else:
        shutil.copy(source, folder)
        main = folder / program.name
    (folder / "pyproject.toml").touch()
    return main


def tried(program: Program, folder: Path, methods: Sequence[str], jobs: int = 2) -> Verdict:
    """Try a program without workers and with two, under some start methods."""
    main = laid_out(program, folder)
    wanted = ways([0, 2], methods, 32, keep=True)
    with trials(parse(str(main), []), wanted, _LIMITS, jobs) as running:
        found = sorted(running, key=lambda trial: wanted.index(trial.way))
    if found[-1].records.loader.get("num_workers") == 1:  # as the program reads it
        with trials(parse(str(main), []), ways([1], methods, 32), _LIMITS, jobs) as running:
            found += running
    return judge(found, _look(program))


def _look(program: Program) -> Callable[[Path], Sequence[Finding]]:
    extended = _OFF_BY_DEFAULT if program.kind == "bad" else ()

    @cache
    def look(root: Path) -> Sequence[Finding]:
        chosen = settings.for_run([root], {**program.fixture.check, "extend_select": extended})
        return engine.check([root], chosen).findings

    return look


def codes(verdict: Verdict) -> set[str | None]:
    """The rules that the trials name."""
    return {shown.wrong.code for shown in verdict.shown} | {finding.code for finding, _ in verdict.confirmed}


def said(verdict: Verdict) -> str:
    """All of it, for who reads why a test failed."""
    lines = [f"{trial.name}: {trial.outcome}\n{trial.result.stderr[-1500:]}" for trial in verdict.trials]
    lines += [f"{shown.wrong.code} {shown.wrong.what} {shown.ways}" for shown in verdict.shown]
    lines += [f"{finding.code} {how}" for finding, how in verdict.confirmed]
    lines += [f"not seen: {finding.code} {finding.path}:{finding.line}" for finding in verdict.unseen]
    return "\n".join(lines)
