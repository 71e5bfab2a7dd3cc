"""All programs of the fixtures through `dlint try`: how many bad ones are named by their rule, how many
good ones are clean.

    python benchmarks/tried_fixtures.py [bad] [fixed] [near] [--rule DL203 ...] [--all-methods]

Each is tried alone in a folder, without workers and with two, under the start method that its proof claims
first (good ones: fork; --all-methods: all claimed ones). What is not as it should be is printed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from dlint.proofs import environment  # noqa: E402
from tests.trial.programs import all_programs, codes, said, tried  # noqa: E402


def main() -> int:
    """1 where a program was not as it should be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "kinds", nargs="*", default=["bad", "fixed", "near"], choices=["bad", "fixed", "near"]
    )
    parser.add_argument("--rule", action="append", default=[])
    parser.add_argument("--all-methods", action="store_true")
    arguments = parser.parse_args()
    machine = environment.look()
    counts: Counter[tuple[str, str]] = Counter()
    for program in all_programs(*arguments.kinds):
        if arguments.rule and program.fixture.code not in arguments.rule:
            continue
        if why := machine.lacks(program.needs, "fork"):
            counts[program.kind, "not here"] += 1
            print(f"-    {program}: {why}", flush=True)
            continue
        before = dict(os.environ)
        os.environ.update(program.environment)
        begin = time.monotonic()
        methods = program.methods if arguments.all_methods else program.methods[:1]
        with tempfile.TemporaryDirectory() as folder:
            verdict = tried(program, Path(folder), methods)
            right = program.fixture.code in codes(verdict) if program.kind == "bad" else not verdict.is_wrong
            text = said(verdict)
        os.environ.clear()
        os.environ.update(before)
        counts[program.kind, "right" if right else "wrong"] += 1
        print(f"{'ok' if right else 'BAD':<4} {program} {time.monotonic() - begin:.1f} s", flush=True)
        if not right:
            print(text, flush=True)
    for kind in arguments.kinds:
        print(
            f"{kind}: " + ", ".join(f"{counts[kind, each]} {each}" for each in ("right", "wrong", "not here"))
        )
    return any(number for (_, each), number in counts.items() if each == "wrong")


if __name__ == "__main__":
    sys.exit(main())
