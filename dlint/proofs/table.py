"""The verdicts as a table: for the terminal, as JSON and as Markdown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dlint.proofs import older_torch
from dlint.proofs.environment import Environment
from dlint.proofs.judge import Observed, Verdict
from dlint.proofs.proof import Fixture

if TYPE_CHECKING:
    from rich.table import Table

_COLOURS = {"shown": "green", "contradicted": "bold red", "not shown here": "yellow"}


def versions(environment: Environment) -> str:
    """The line that says what the claims were tried with."""
    opencv = (
        f"OpenCV {environment.opencv} ({environment.opencv_backend})" if environment.opencv else "no OpenCV"
    )
    older = f" ({older_torch.TORCH} where a claim is of older ones)" if older_torch.is_made() else ""
    cores = f"{environment.cores} core{'s' if environment.cores != 1 else ''}"
    return (
        f"Python {environment.python}, torch {environment.torch or 'missing'}{older}, "
        f"NumPy {environment.numpy or 'missing'}, {opencv}, {environment.platform}, {cores}"
    )


def counts(verdicts: Sequence[Verdict]) -> str:
    """How many claims were shown, contradicted and not shown here."""
    number = Counter(verdict.status for verdict in verdicts)
    claims = "1 claim" if len(verdicts) == 1 else f"{len(verdicts)} claims"
    return (
        f"{claims}: {number['shown']} shown, {number['contradicted']} contradicted, "
        f"{number['not shown here']} not shown here"
    )


def _did(verdict: Verdict) -> str:
    if verdict.bad is None:
        return f"not shown here: {verdict.why}"
    return _flag(verdict.bad)


def _flag(observed: Observed) -> str:
    return observed.text if observed.as_claimed else f"NOT AS CLAIMED: {observed.text}"


def _cured(verdict: Verdict) -> str:
    if verdict.bad is None:
        return ""
    lines = [_flag(verdict.fixed) if verdict.fixed else "no cure known"]
    lines += [f"{_cure_name(each.program)} does not cure: {_flag(each)}" for each in verdict.not_cures]
    return "\n".join(lines)


def _cure_name(program: str) -> str:
    return program.removesuffix(".py").removeprefix("not_a_cure_").replace("_", " ")


def terminal(verdicts: Sequence[Verdict], unproved: Sequence[Fixture]) -> Table:
    """A table for rich."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("rule", no_wrap=True)
    table.add_column("claim", ratio=4, overflow="fold")
    table.add_column("this machine", ratio=4, overflow="fold")
    table.add_column("with the remedy", ratio=3, overflow="fold")
    for verdict in verdicts:
        machine = Text(_did(verdict), style=_COLOURS[verdict.status])
        if verdict.bad and verdict.bad.where:
            machine.append(f"\n{verdict.bad.where}", style="dim")
        claim = Text(verdict.proof.claim)
        claim.append(f"\n{verdict.proof.name}, {verdict.method}", style="dim")
        table.add_row(verdict.proof.code, claim, machine, Text(_cured(verdict)))
    for fixture in unproved:
        table.add_row(
            fixture.code, Text(fixture.rule), Text(f"no proof: {fixture.no_proof}", style="dim"), ""
        )
    return table


def as_json(verdicts: Sequence[Verdict], unproved: Sequence[Fixture], environment: Environment) -> str:
    """One JSON document: the environment, and an object a claim."""

    def observed(each: Observed | None) -> dict[str, object] | None:
        if each is None:
            return None
        return {
            "program": each.program,
            "did": each.text,
            "as_claimed": each.as_claimed,
            "where": each.where,
        }

    return json.dumps(
        {
            "environment": {
                "python": environment.python,
                "torch": environment.torch,
                "numpy": environment.numpy,
                "opencv": environment.opencv,
                "opencv_backend": environment.opencv_backend,
                "platform": environment.platform,
                "cores": environment.cores,
            },
            "claims": [
                {
                    "code": verdict.proof.code,
                    "rule": verdict.proof.rule,
                    "name": verdict.proof.name,
                    "claim": verdict.proof.claim,
                    "outcome": verdict.proof.outcome,
                    "start_method": verdict.method,
                    "status": verdict.status,
                    "why": verdict.why,
                    "bad": observed(verdict.bad),
                    "fixed": observed(verdict.fixed),
                    "not_a_cure": [observed(each) for each in verdict.not_cures],
                }
                for verdict in verdicts
            ],
            "no_proof": [
                {"code": fixture.code, "rule": fixture.rule, "why": fixture.no_proof} for fixture in unproved
            ],
        },
        indent=2,
        ensure_ascii=False,
    )


def as_markdown(
    verdicts: Sequence[Verdict],
    unproved: Sequence[Fixture],
    environment: Environment,
    levels: Mapping[tuple[str, str], str],
) -> str:
    """A Markdown document: versions, one table, and how to repeat it. ``levels`` are those of the claims, by
    code and name."""
    lines = [
        "# Evidence",
        "",
        "Made by `dlint prove --output-format markdown`, which runs one small training program a claim, the",
        "same program after the remedy, and popular cures that do not cure. Repeat it on your machine with",
        '`pip install "torch-dlint[prove]"` and `dlint prove`; `--keep DIR` leaves the programs, what they',
        "printed and every stack for reading.",
        "",
        f"Measured with {versions(environment)}.",
        "",
        f"{counts(verdicts)}.",
        "",
        "| rule | claim | level | start method | this machine | where it hung | with the remedy |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for verdict in verdicts:
        proof = verdict.proof
        level = levels.get((proof.code, proof.name), "")
        said = (f"{proof.code} {proof.name}", proof.claim, level, verdict.method)
        cells = [_cell(each) for each in said]
        where = verdict.bad.where if verdict.bad else None
        cells += [_cell(_did(verdict)), "`" + where.replace("|", "\\|") + "`" if where else ""]
        cells.append(_cell(_cured(verdict)))
        lines.append("| " + " | ".join(cells) + " |")
    if unproved:
        lines += ["", "Rules without a proof:", ""]
        lines += [f"- {fixture.code} {fixture.rule}: {fixture.no_proof}" for fixture in unproved]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """The text as it is, where Markdown would take __init__ for bold."""
    plain = text.replace("|", "\\|").replace("<", "&lt;").replace("__", "\\_\\_").replace("**", "\\*\\*")
    return plain.replace("\n", "<br>")
