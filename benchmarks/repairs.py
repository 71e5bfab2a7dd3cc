"""What holds of every repair, on real trees and on mutated programs.

    python benchmarks/repairs.py trees TREE...
    python benchmarks/repairs.py mutated [--repairs 2000] [--seed 0]

Each tree is repaired in a copy: `git apply` takes the diff, which is what is written, a second run changes
nothing, and the fixes that JSON promises are kept. Mutated programs are those of tests/fuzz, in folders of
ten. Both look at every changed file: it parses, pyflakes knows no more undefined names than before, and the
whole tree has no finding that it had not. A failure is printed; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random

from pyflakes import checker, messages

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from dlint import engine
from dlint.finding import Finding
from dlint.repair import Repairs, promised, repair
from dlint.repair.workshop import FAULT
from dlint.reports.repairs import as_diff
from dlint.rewriting.files import replace
from dlint.settings.settings import Settings, load
from tests.fuzz.mutations import cooked, drawn, module_name

PROGRAMS = 10  # to a folder


def main() -> int:
    """Look at trees or at mutated programs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("trees").add_argument("trees", nargs="+", type=Path)
    mutated = commands.add_parser("mutated")
    mutated.add_argument("--repairs", type=int, default=2000)
    mutated.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.command == "trees":
        return int(sum(len(list(_of_tree(tree))) for tree in given.trees) > 0)
    return int(_of_mutated(given.repairs, Random(given.seed)))


def _of_tree(tree: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, tree.name)
        shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        subprocess.run(["git", "init", "-q", str(copy)], check=True)
        settings = load(copy)
        before = engine.check([copy], settings)
        offered = [each for each in promised(before.findings, [copy], settings, {}) if each.remedy]
        total, promises = Counter(_marks(before.findings)), Counter(_marks(offered))
        repairs = repair([copy], settings, unsafe=True)
        gone = sum(len(step.findings) for step in repairs.steps)
        left = Counter(_marks(each.finding for each in repairs.left))
        kept = sum(min(count, total[mark] - left[mark]) for mark, count in promises.items())
        print(
            f"{tree.name}: {len(before.findings)} findings, {len(offered)} promised, {kept} of them kept, ",
            end="",
        )
        print(f"{gone} repaired in {len(repairs.files)} files, {len(repairs.left)} left", flush=True)
        failures = list(_failures(repairs, before, [copy], settings))
        with chdir(copy):
            difference = b"".join(map(as_diff, repairs.files))
        for each in repairs.files:
            replace(each.path, each.old, each.new)
        if repair([copy], settings, unsafe=True).files:
            failures.append("a second run changes something")
        for each in repairs.files:
            each.path.write_bytes(each.old)
        if difference:
            applied = subprocess.run(["git", "apply", "-"], cwd=copy, input=difference, capture_output=True)
            if applied.returncode or any(each.path.read_bytes() != each.new for each in repairs.files):
                failures.append(f"git apply: {applied.stderr.decode()}")
        for failure in failures:
            print("  FAILED", failure)
            yield failure


@contextmanager
def chdir(folder: Path) -> Iterator[None]:
    """Work in a folder: a diff's names are those that its reader sees from where he stands."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _of_mutated(wanted: int, random: Random) -> bool:
    made: Counter[str] = Counter()
    failed = False
    for number in count():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "pyproject.toml").touch()
            for program in range(PROGRAMS):
                (root / f"{module_name(program)}.py").write_bytes(cooked(drawn(random), PROGRAMS))
            settings = Settings(target_torch="1.8")
            before = engine.check([root], settings)
            repairs = repair([root], settings, unsafe=True)
            made.update(step.finding.code for step in repairs.steps)
            for failure in _failures(repairs, before, [root], settings):
                failed = True
                print(f"FAILED folder {number}: {failure}")
                for each in repairs.files:
                    if each.path.name in failure:
                        print(as_diff(each).decode(errors="replace"))
        if number % 50 == 0:
            print(f"{number + 1} folders, {made.total()} repairs", flush=True)
        if made.total() >= wanted:
            break
    print(f"{made.total()} repairs in {(number + 1) * PROGRAMS} programs: {dict(sorted(made.items()))}")
    return failed


def _failures(
    repairs: Repairs, before: engine.Report, paths: list[Path], settings: Settings
) -> Iterator[str]:
    texts = {each.path: each.new for each in repairs.files}
    for each in repairs.files:
        try:
            _parsed(each.new)
        except (SyntaxError, ValueError) as error:
            yield f"{each.path.name} does not parse: {error}"
            continue
        new = _undefined(each.new) - _undefined(each.old)
        if new:
            yield f"{each.path.name}: undefined names {sorted(new)}"
    after = engine.check(paths, settings, texts=texts)
    more = Counter(_marks(after.findings)) - Counter(_marks(before.findings))
    if more:
        yield f"new findings {dict(more)} in {[Path(path).name for path, _ in more]}"
    if len(after.troubles) > len(before.troubles):
        yield f"troubles {after.troubles}"
    faults = {each.reason for each in repairs.left if FAULT in each.reason}
    yield from faults
    left = Counter(f"{each.finding.path} {each.finding.code}" for each in repairs.left)
    if left != Counter(f"{each.path} {each.code}" for each in after.findings):
        yield "what is left is not what is found afterwards"
    if repair(paths, settings, unsafe=True, texts=texts).files:
        yield f"a second run changes something in {[each.path.name for each in repairs.files]}"


def _marks(findings: Iterable[Finding]) -> Iterator[tuple[str, str]]:
    return ((finding.path, finding.code) for finding in findings)


def _parsed(data: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(data)


def _undefined(data: bytes) -> Counter[str]:
    found = checker.Checker(_parsed(data)).messages
    kinds = (messages.UndefinedName, messages.UndefinedLocal, messages.UndefinedExport)
    return Counter(str(each.message_args[0]) for each in found if isinstance(each, kinds))


if __name__ == "__main__":
    sys.exit(main())
