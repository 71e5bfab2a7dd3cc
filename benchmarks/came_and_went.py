"""Which findings came and which went between two versions of dlint, tree by tree, and what each took.

    python benchmarks/came_and_went.py OLD NEW TREE... [--check "--target-torch 1.8"]

OLD and NEW are checkouts of dlint (folders that hold the package ``dlint``), run by this interpreter. Both
check every tree in one process. Seconds are of processor time, each version's in a
process of its own, one after the other; read their ratio, not the figures. The exit code is 1 where anything
came or went.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class _Run(NamedTuple):
    found: set[str]  # path, place, code and message of each
    seconds: float
    trouble: str


def main() -> int:
    """Compares, and gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("trees", type=Path, nargs="+", metavar="TREE")
    parser.add_argument("--check", default="", help="more arguments for dlint check")
    args = parser.parse_args()
    options = shlex.split(args.check)
    totals = [0.0, 0.0]
    differences = 0
    for tree in args.trees:
        old, new = (_run(version, tree, options) for version in (args.old, args.new))
        totals[0] += old.seconds
        totals[1] += new.seconds
        print(
            f"{tree.name}: {len(new.found)} findings, {old.seconds:.1f} s -> {new.seconds:.1f} s", flush=True
        )
        for mark, lines in (("-", old.found - new.found), ("+", new.found - old.found)):
            for line in sorted(lines):
                differences += 1
                print(f"  {mark} {line[:200]}", flush=True)
        if new.trouble != old.trouble:
            differences += 1
            print(f"  trouble: {old.trouble!r} -> {new.trouble!r}", flush=True)
    ratio = totals[1] / totals[0] if totals[0] else 0.0
    print(f"all: {differences} differences, {totals[0]:.1f} s -> {totals[1]:.1f} s, {ratio:.2f} times")
    return 1 if differences else 0


def _run(version: Path, tree: Path, options: list[str]) -> _Run:
    command = [sys.executable, "-P", "-m", "dlint", "check", "--output-format", "concise", "-j", "1"]
    before = os.times()
    done = subprocess.run(
        [*command, "--select", "DL", *options, "."],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(version.resolve()), "DLINT_NO_CACHE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    return _Run(
        set(done.stdout.splitlines()), seconds, "" if done.returncode in (0, 1) else done.stderr[-200:]
    )


if __name__ == "__main__":
    sys.exit(main())
