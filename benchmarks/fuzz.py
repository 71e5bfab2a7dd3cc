"""A long run of the fuzzer: mutated programs, bombs, hostile configuration, and what they break, made small.

    python benchmarks/fuzz.py --minutes N [--seed S] [--jobs J] [--kinds mutations,bombs,configurations]

The generators and properties are those of tests/fuzz, which says what must hold. Thirty mutated programs
stand in one folder, which is checked in eight ways by two processes with different hash seeds; a bomb grows
until it fails or has its largest size. Every kind of failure is reduced once and written to a folder
(--keep); what lies in tests/fuzz/kept is played again by the tests for ever. The same seed gives the same
programs in the same order, however many jobs there are.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.fuzz import kept
from tests.fuzz.bombs import BOMBS
from tests.fuzz.configurations import CONFIGURATIONS
from tests.fuzz.judging import of_generated, of_programs
from tests.fuzz.mutations import cooked, drawn, module_name
from tests.fuzz.properties import Failure
from tests.fuzz.reducing import reduced
from tests.fuzz.running import Child, Files, written

PROGRAMS = 30  # to a folder
# What a folder, a bomb or a configuration may take; a folder usually takes a fifth of a second.
SECONDS = 20.0
# How long one failure is made smaller.
REDUCING = 120.0
# Bombs grow by this.
GROWTH = 4
KINDS = ("mutations", "bombs", "configurations")


class Tally:
    """What the run has seen, from all its threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = 0
        self.lines = 0
        self.generated = 0
        self.failures: Counter[str] = Counter()
        self.slowest: list[tuple[float, str]] = []  # seconds a 1,000 lines
        self.megabytes = 0.0
        self._lock = threading.Lock()
        self._seen: set[str] = set()

    def failed(self, where: str, failures: Iterable[Failure]) -> list[Failure]:
        """Note failures; those of a kind that is new are to be made small."""
        fresh = []
        with self._lock:
            for failure in failures:
                self.failures[failure.kind] += 1
                if failure.kind not in self._seen:
                    self._seen.add(failure.kind)
                    fresh.append(failure)
                    print(f"{where}: {failure.kind}\n    {failure.detail[-600:]}", flush=True)
        return fresh

    def passed(self, name: str, files: Files, seconds: float, megabytes: float) -> None:
        """Note what a check took."""
        lines = sum(content.count(b"\n") for content in files.values())
        with self._lock:
            self.megabytes = max(self.megabytes, megabytes)
            # A program of ten lines has its share of what every check takes: that is no measure.
            self.slowest.append((seconds / max(lines, 500) * 1000, name))
            self.slowest = sorted(self.slowest, reverse=True)[:5]

    def keep(self, case: kept.Kept) -> None:
        """Write a case down, and say where."""
        print(f"    kept: {kept.keep(case, self.folder)}", flush=True)

    def report(self, seconds: float) -> None:
        """The sums."""
        rate = self.files / seconds * 60
        print(f"\n{self.files} mutated files ({self.lines} lines) in {seconds:.0f} s: {rate:.0f} a minute")
        print(f"{self.generated} bombs and configurations; the most memory {self.megabytes:.0f} MB")
        print(
            "slowest, in seconds a 1,000 lines:",
            ", ".join(f"{name} {took:.1f}" for took, name in self.slowest),
        )
        print(
            "failures:", ", ".join(f"{kind} {times}" for kind, times in self.failures.most_common()) or "none"
        )


def mutated(seed: int, number: int) -> dict[str, bytes]:
    """The folder of this number in the run with this seed."""
    random = Random(f"{seed} {number}")
    return {f"{module_name(n)}.py": cooked(drawn(random), PROGRAMS) for n in range(PROGRAMS)}


def check_mutated(seed: int, number: int, tally: Tally, first: Child, second: Child) -> None:
    """One folder of mutated programs in every way."""
    files = mutated(seed, number)
    for failure in tally.failed(f"seed {seed}, folder {number}", of_programs(files, first, second)):

        def fails(candidate: Files, kind: str = failure.kind) -> bool:
            return any(each.kind == kind for each in of_programs(candidate, first, second))

        small = reduced(files, fails, REDUCING)
        tally.keep(kept.Kept(failure.kind, failure.detail, small))
    tally.files += len(files)
    tally.lines += sum(content.count(b"\n") for content in files.values())
    with written(files) as folder:
        answer = first.check(folder)
    tally.passed(f"folder {number}", files, answer.seconds, answer.megabytes)


def check_generated(kind: str, tally: Tally, child: Child, until: float) -> None:
    """A bomb or a configuration, from small to its largest size or the first at which it fails."""
    made = BOMBS.get(kind) or CONFIGURATIONS[kind]
    size = made.usual if made.usual == made.large else max(1, made.usual // GROWTH)
    while time.monotonic() < until:
        failures, ended = of_generated(kind, size, child)
        tally.generated += 1
        if failures:
            named = [each._replace(kind=f"{kind}: {each.kind}") for each in failures]
            for failure in tally.failed(f"{kind} of size {size}", named):
                tally.keep(kept.Kept(failure.kind, failure.detail, {}, kind, size))
            return
        tally.passed(f"{kind} of size {size}", _files(kind, size), ended.seconds, ended.megabytes)
        if size >= made.large:
            return
        size = min(size * GROWTH, made.large)


def _files(kind: str, size: int) -> Files:
    return BOMBS[kind].files(size) if kind in BOMBS else {}


def _in_turn(steps: Iterable[Callable[[Child, Child], None]], until: float, lock: threading.Lock) -> None:
    """One thread's share of the steps, with children of its own."""
    remaining = iter(steps)
    with Child(0, SECONDS) as first, Child(1, SECONDS) as second:
        while time.monotonic() < until:
            with lock:
                step = next(remaining, None)
            if step is None:
                return
            step(first, second)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--files", type=int, help="end after so many mutated files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="pairs of processes at the same time")
    parser.add_argument("--kinds", default=",".join(KINDS), help="of " + ", ".join(KINDS))
    parser.add_argument("--only", default="", help="bombs and configurations whose names hold this")
    parser.add_argument("--keep", type=Path, default=kept.FOLDER, metavar="FOLDER")
    chosen = parser.parse_args()
    kinds = chosen.kinds.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"no such kinds: {', '.join(sorted(unknown))}")
    began = time.monotonic()
    until = began + chosen.minutes * 60
    tally = Tally(chosen.keep)

    def steps() -> Iterable[Callable[[Child, Child], None]]:
        for group, table in (("configurations", CONFIGURATIONS), ("bombs", BOMBS)):
            for kind in table if group in kinds else ():
                if chosen.only in kind:
                    yield lambda first, _, kind=kind: check_generated(kind, tally, first, until)
        if "mutations" in kinds:
            most = -(-chosen.files // PROGRAMS) if chosen.files else None
            for number in range(most) if most else count():
                yield lambda first, second, number=number: check_mutated(
                    chosen.seed, number, tally, first, second
                )

    lock = threading.Lock()
    shared = iter(steps())
    with ThreadPoolExecutor(chosen.jobs) as threads:
        for each in [threads.submit(_in_turn, shared, until, lock) for _ in range(chosen.jobs)]:
            each.result()
    tally.report(time.monotonic() - began)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
