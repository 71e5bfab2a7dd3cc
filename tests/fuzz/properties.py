"""What must hold of every program, however it came about: the ways in which dlint can be wrong about one.

A failure's ``kind`` names the property; the reduction keeps it while the program gets smaller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.fuzz.running import Answer, Child, Ended, Files

# A program that stands beside every hostile one: its finding must not be lost. One DL301, in line 5.
GOOD = b"""\
from torch.utils.data import DataLoader, RandomSampler


def make(dataset):
    return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)
"""
GOOD_NAME = "good.py"
_GOOD_LINE = f"{GOOD_NAME}:5:12: DL301 "
# Some programs to a block, so that processes have several.
SMALL_BLOCK = 6_000
# No check of a small program, however made, may take as much memory.
MOST_MEGABYTES = 2_000


class Failure(NamedTuple):
    """A property that does not hold."""

    kind: str
    detail: str


def answer_failures(answer: Answer) -> list[Failure]:
    """What is wrong with one check of a folder."""
    if answer.hung:
        return [Failure("time", f"no answer in {answer.seconds:.0f} s")]
    if answer.error:
        return [Failure("traceback", answer.error.strip())]
    found = [
        Failure(f"fault: {_cause(message)}", message)
        for _, message, *_ in answer.troubles
        if "failed" in message
    ]
    if answer.megabytes > MOST_MEGABYTES:
        found.append(Failure("memory", f"{answer.megabytes:.0f} MB"))
    if not any(each[0] == "DL301" and each[3].endswith(GOOD_NAME) for each in answer.findings):
        found.append(Failure("lost", f"the finding in {GOOD_NAME} is not there"))
    return found


def _cause(message: str) -> str:
    """The rule and the exception of a rule's fault: faults that agree in them are one."""
    rule = re.search(r"DL\d{3}", message)
    error = re.search(r"\((\w+)[:)]", message)
    return " ".join(each for each in (rule and rule[0], error and error[1]) if each) or "unknown"


def differences(folder: Path, files: Files, first: Child, second: Child, seed: int) -> list[Failure]:
    """What is wrong with a folder of programs: each check by itself, and between checks that must agree.

    ``first`` and ``second`` are children with different hash seeds.
    """
    whole = first.check(folder)
    found = answer_failures(whole)
    if whole.hung or whole.error:
        return found
    python = [name for name in files if name.endswith(".py")]
    shuffled = Random(seed).sample(python, len(python))
    one_job = first.check(folder, block_bytes=SMALL_BLOCK)
    pairs = [
        ("runs", whole, first.check(folder)),
        ("orders of paths", whole, first.check(folder, shuffled)),
        ("paths given twice", whole, first.check(folder, [*python[::-1], *shuffled])),
        ("hash seeds", whole, second.check(folder)),
        ("hash seeds, in blocks", one_job, second.check(folder, block_bytes=SMALL_BLOCK)),
        ("jobs", one_job, first.check(folder, jobs=2, block_bytes=SMALL_BLOCK)),
    ]
    for name, expected, got in pairs:
        found += [each for each in answer_failures(got) if each not in found]
        if not got.hung and not got.error and got.report != expected.report:
            found.append(Failure(f"differs: {name}", difference(expected, got)))
    return found


def difference(expected: Answer, got: Answer) -> str:
    """What only one of two answers says, in a few lines."""
    lines = []
    for mark, mine, others in (("-", expected, got), ("+", got, expected)):
        for ours, theirs in ((mine.findings, others.findings), (mine.troubles, others.troubles)):
            lines += [f"{mark} {_shown(each)}" for each in ours if each not in theirs]
    return "\n".join(lines[:8]) or "the order"


def _shown(entry: Sequence[Any]) -> str:
    return " ".join(str(part) for part in entry)[:400]


def command_failures(ended: Ended, *, refused: str = "") -> list[Failure]:
    """What is wrong with a run of the command beside the good program.

    Where ``refused`` names a configuration file, the run may say that this is wrong, and nothing else.
    """
    if ended.code is None:
        return [Failure("time", f"no end in {ended.seconds:.0f} s")]
    found = []
    lines = ended.err.splitlines()
    if "Traceback" in ended.err:
        found.append(Failure("traceback", ended.err[-2000:]))
    elif ended.code not in (0, 1, 2):
        found.append(Failure("exit code", f"{ended.code}: {ended.err[-500:]}"))
    elif not _all_ours(lines):
        found.append(Failure("stderr", ended.err[:500]))
    found += [Failure(f"fault: {_cause(line)}", line) for line in lines if " failed" in line]
    if ended.megabytes > MOST_MEGABYTES:
        found.append(Failure("memory", f"{ended.megabytes:.0f} MB"))
    says_no = bool(refused) and ended.code == 2 and refused in ended.err
    if (
        not found
        and not says_no
        and not ended.out.startswith(_GOOD_LINE)
        and f"\n{_GOOD_LINE}" not in ended.out
    ):
        found.append(Failure("lost", f"the finding in {GOOD_NAME} is not there; {ended.err[:300]}"))
    return found


def _all_ours(lines: Iterable[str]) -> bool:
    return all(line.startswith(("dlint: ", "Error: dlint: ")) for line in lines)
