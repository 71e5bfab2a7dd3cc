"""Compares what the programs did with what a proof claims."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dlint.proofs.proof import Condition, Proof, StartMethod
from dlint.proofs.run import Run
from dlint.running.runner import Result
from dlint.running.watchdog import PATIENCE

Status = Literal["shown", "contradicted", "not shown here"]

_MEASURE = re.compile(r"^dlint-measure: *(-?[\d.]+(?:e[-+]?\d+)?)\s*$", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last):"


@dataclass(frozen=True)
class Observed:
    """What one program did, in words, and whether that is what the proof says of it."""

    program: str
    text: str
    as_claimed: bool
    where: str | None = None


@dataclass(frozen=True)
class Verdict:
    """One claim under one start method on this machine. ``why`` says why it could not be shown."""

    proof: Proof
    method: StartMethod
    status: Status
    why: str | None = None
    bad: Observed | None = None
    fixed: Observed | None = None
    not_cures: tuple[Observed, ...] = ()


def programs(proof: Proof) -> list[str]:
    """The programs of a proof: the bad one, the fixed one, the popular cures."""
    return [proof.bad, *([proof.fixed] if proof.fixed else []), *proof.not_a_cure]


def judge(proof: Proof, method: StartMethod, results: Mapping[str, Result]) -> Verdict:
    """The verdict on a claim, from the results of all its programs."""
    if any(result.end == "starved" for result in results.values()):
        why = f"the machine was too busy: a program did not end within {PATIENCE * proof.limit:g} s"
        return Verdict(proof, method, "not shown here", why)
    bad = observe_bad(proof, proof.bad, results[proof.bad])
    fixed = observe_fixed(proof, proof.fixed, results[proof.fixed]) if proof.fixed else None
    not_cures = tuple(observe_bad(proof, name, results[name]) for name in proof.not_a_cure)
    seen = [bad, *([fixed] if fixed else []), *not_cures]
    status: Status = "shown" if all(observed.as_claimed for observed in seen) else "contradicted"
    return Verdict(proof, method, status, None, bad, fixed, not_cures)


def observe_bad(proof: Proof, program: str, result: Result) -> Observed:
    """Whether a program fails as the proof claims."""
    text = describe(proof, result)
    if proof.outcome == "hang":
        claimed = result.end in ("still", "limit")
    elif proof.outcome == "error":
        assert proof.error is not None
        claimed = (
            result.end == "exit" and result.status != 0 and _squeeze(proof.error) in messages(result.stderr)
        )
    else:
        claimed = _measure_holds(proof.bad_value, result)
    return Observed(program, text, claimed, result.where)


def observe_fixed(proof: Proof, program: str, result: Result) -> Observed:
    """Whether a program runs clean, and measures what it should where the proof has a measure."""
    clean = ran_clean(result)
    if clean and proof.outcome in ("silent", "slow"):
        clean = _measure_holds(proof.fixed_value, result)
    return Observed(program, describe(proof, result), clean, result.where)


def ran_clean(result: Result) -> bool:
    """Whether the program came to its end without an error."""
    return result.end == "exit" and result.status == 0


def describe(proof: Proof, result: Result) -> str:
    """What the program did, in a few words."""
    if result.end == "still":
        return f"hung (stood still for {proof.still:g} s)"
    if result.end == "limit":
        return f"did not end within {proof.limit:g} s"
    if result.end == "lost":
        return result.stderr
    if result.status:
        if result.status < 0:
            return f"killed by signal {-result.status}"
        return last_error(result.stderr) or f"exit code {result.status}"
    number = measured(result)
    if proof.measure is not None and number is not None:
        return f"{proof.measure}: {number:g}"
    return "ran clean"


def measured(result: Result) -> float | None:
    """The number that the program printed last as ``dlint-measure: NUMBER``."""
    numbers = _MEASURE.findall(result.stdout)
    return float(numbers[-1]) if numbers else None


def _measure_holds(condition: Condition | None, result: Result) -> bool:
    number = measured(result)
    return ran_clean(result) and number is not None and condition is not None and condition.holds(number)


def messages(stderr: str) -> str:
    """What was said on standard error, on one line, without the source lines that tracebacks quote."""
    kept = []
    in_frames = False
    for line in stderr.splitlines():
        if line.strip().endswith(_TRACEBACK):
            in_frames = True
        elif in_frames and line.startswith("  "):
            continue
        else:
            in_frames = False
            kept.append(line)
    return _squeeze(" ".join(kept))


def last_error(stderr: str) -> str | None:
    """The type and the first line of the last error, as Python prints it."""
    found = re.findall(
        r"^([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Full)\b(?::.*)?)$", stderr, re.MULTILINE
    )
    text = str(found[-1]) if found else None
    if text is not None and text.endswith(":"):
        # The message begins on the next line.
        after = stderr[stderr.rindex(text) + len(text) :].strip().splitlines()
        text = f"{text} {after[0].strip()}" if after else text
    return text


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def plan(proof: Proof, method: StartMethod) -> list[Run]:
    """The runs that a claim needs under one start method."""
    return [Run(proof, program, method) for program in programs(proof)]
