"""Proves claims: runs what this machine can show and gives a verdict on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dlint.proofs.environment import Environment
from dlint.proofs.judge import Verdict, judge, plan
from dlint.proofs.proof import Proof, StartMethod
from dlint.proofs.run import Run
from dlint.running.runner import Result, Runner


def claims(proofs: Iterable[Proof], method: StartMethod | None = None) -> list[tuple[Proof, StartMethod]]:
    """Each proof with each start method that it claims, or only with ``method``."""
    return [(proof, each) for proof in proofs for each in proof.start_methods if method in (None, each)]


def prove(
    runner: Runner[Run], environment: Environment, wanted: Sequence[tuple[Proof, StartMethod]]
) -> Iterator[Verdict | tuple[Run, Result]]:
    """Give every run's result as it comes, and each claim's verdict as soon as it is certain."""
    runs: list[Run] = []
    for proof, method in wanted:
        if why := environment.lacks(proof.needs, method):
            yield Verdict(proof, method, "not shown here", why)
        else:
            runs += plan(proof, method)
    results: dict[tuple[str, str, str], dict[str, Result]] = {}
    for run, result in runner.run(runs):
        yield run, result
        key = (run.proof.code, run.proof.name, run.method)
        done = results.setdefault(key, {})
        done[run.program] = result
        if len(done) == len({each.program for each in plan(run.proof, run.method)}):
            yield judge(run.proof, run.method, done)
