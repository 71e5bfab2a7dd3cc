"""A survey against a shell's loop: what each takes for the same versions, and whether both find the same.

    python benchmarks/survey.py LIST --history 7 --jobs 2 --out DIR

The loop checks each version out with git and runs ``dlint check`` there, one after the other. Versions that
git cannot check out (a partial clone) are left out of it, and of the comparison. Read the ratio, not the
seconds. The exit code is 1 where the two differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from dlint.survey.store import Store

Place = tuple[str, int, int, str, str]
_QUIET = {"GIT_NO_LAZY_FETCH": "1", "DLINT_NO_CACHE": "1"}


def main() -> int:
    """Measures, and gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sources", type=Path, metavar="LIST")
    parser.add_argument("--history", default="7")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    started = time.perf_counter()
    subprocess.run(
        [
            *(sys.executable, "-P", "-m", "dlint", "survey", str(args.sources), "--isolated"),
            *("--history", args.history, "--jobs", args.jobs, "--out", str(args.out)),
        ],
        check=True,
    )
    survey = time.perf_counter() - started
    store = Store(args.out)
    found: dict[tuple[str, str | None], set[Place]] = {}
    for row in store.findings():
        found.setdefault((row["repository"], row["version"]), set()).add(_place(row))
    paths = {source.name: source.path for source in store.plan().sources}
    rows = store.repositories("repository", "version", "outcome")
    differences = looped = 0
    loop = 0.0
    for row in rows:
        key = (row["repository"], row["version"])
        started = time.perf_counter()
        places = _checked(paths[row["repository"]], row["version"])
        if places is None:
            continue
        loop += time.perf_counter() - started
        looped += 1
        for mark, some in (("-", places - found.get(key, set())), ("+", found.get(key, set()) - places)):
            for place in sorted(some):
                differences += 1
                print(f"  {mark} {key} {place}", flush=True)
    each = survey / len(rows), loop / looped
    print(
        f"survey: {len(rows)} versions in {survey:.0f} s, {args.jobs} workers; {3600 / each[0]:.0f} an hour"
    )
    print(f"loop:   {looped} versions in {loop:.0f} s; {3600 / each[1]:.0f} an hour")
    print(f"{each[1] / each[0]:.2f} times as many; {differences} differences in {looped} versions")
    return 1 if differences else 0


def _checked(repository: str, version: str) -> set[Place] | None:
    """What ``dlint check`` finds in a checkout; None where there is none to be had."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        tree.mkdir()
        environment = {**os.environ, **_QUIET}
        where = {
            "GIT_DIR": repository,
            "GIT_WORK_TREE": str(tree),
            "GIT_INDEX_FILE": str(Path(folder, "index")),
        }
        for arguments in (["read-tree", version], ["checkout-index", "--all"]):
            done = subprocess.run(
                ["git", *arguments], cwd=tree, env={**environment, **where}, capture_output=True, check=False
            )
            if done.returncode:
                return None
        (tree / ".git").mkdir()
        command = [
            sys.executable,
            "-P",
            "-m",
            "dlint",
            "check",
            "--isolated",
            "-q",
            "--output-format",
            "json",
        ]
        told = subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False)
        return {_place(row) for row in json.loads(told.stdout) if row["code"] != "DL000"}


def _place(row: dict[str, Any]) -> Place:
    return (row["path"], row["line"], row["column"], row["code"], row["message"])


if __name__ == "__main__":
    sys.exit(main())
