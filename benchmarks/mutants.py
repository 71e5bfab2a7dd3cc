"""Which small changes of dlint's own code its tests notice: mutants, sampled with a seed, killed or not.

    python benchmarks/mutants.py [--count 200] [--seed 1] [--results mutants.jsonl] [--again]

A mutant is one change in a function of the engine's packages or of a rule: a condition is negated, the `and`
and `or` of an expression are swapped, or a branch is dropped (the body of an `if` without an else, or the
else). All of a sample stand in one copy of the checkout, in a temporary folder, each behind a switch that is
off. So each stage of the tests is loaded once and run once without mutants, which tells which tests reach
which mutant; then every mutant has a process of its own, forked from the one that has loaded the tests, in
which its switch is on and the tests that reach it run, the quickest first, until one fails. Programs that
tests start have the same switch. A mutant that no test reaches has survived at once, and one with which a
test takes far longer than without is killed by the limit.

Each is a line of the output and of the results (JSON lines). A run that was stopped goes on with the sample
in that file; --again tries those that survived once more,
--tests with these tests alone. Change nothing in the checkout while it runs.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = (
    *("program", "fork", "randomness", "workers", "streams", "loaders", "calls", "objects", "evaluation"),
    *("project", "values", "source", "rules"),
)
# What is run for all, and what for those that survive it: of the other tests first those that start no
# programs.
# Not the proofs, which run for an hour.
_QUICK = (
    "tests/engine/test_budget.py",
    "tests/remedies/test_remedies.py",
    *(f"tests/fix/test_{name}.py" for name in ("apart", "cross_file", "fixture_repairs", "judge", "links")),
    *(f"tests/fix/test_{name}.py" for name in ("repair", "source", "where_most_is_cured")),
    *(f"tests/doors/test_{name}.py" for name in ("files", "ignoring", "noqa", "project_torch", "reading")),
    *(f"tests/doors/test_{name}.py" for name in ("reports", "settings")),
)
STAGES = (
    ["tests/rules", "tests/program"],
    [*_QUICK],
    [
        "tests/engine",
        "tests/remedies",
        "tests/fix",
        "tests/doors",
        "tests/fuzz",
        *(f"--ignore={path}" for path in _QUICK),
    ],
)
# A test may take this many seconds with a mutant, and this many times what it takes without.
SECONDS = 40.0
TIMES = 20.0
# What a stage spends on one mutant; whoever is still alive by then has survived the stage.
AT_MOST = 240.0

_SWITCH = """\
import os

active = int(os.environ.get("DLINT_MUTANT", "-1"))
reached = set()


def on(number):
    if number not in reached:
        reached.add(number)
        path = os.environ.get("DLINT_MUTANTS_REACHED")
        if path:
            with open(path, "a") as file:
                file.write(f"{number}\\n")
    return number == active
"""


@dataclass(frozen=True)
class Site:
    """One change: where, found again by what stands there while lines move."""

    path: str
    function: str
    kind: str  # negated, swapped or dropped
    text: str
    nth: int  # among those that are alike in this function
    line: int

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        return self.path, self.function, self.kind, self.text, self.nth

    def __str__(self) -> str:
        text = self.text if len(self.text) < 90 else self.text[:87] + "..."
        return f"{self.path}:{self.line} {self.function}: {self.kind} {text}"


def main() -> int:
    """Runs the mutants, and gives the exit code: 1 where one has survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--again", action="store_true", help="try those that survived once more")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tests", nargs="+", help="only these, in one stage")
    args = parser.parse_args()
    trees = {path: ast.parse((REPOSITORY / path).read_text(encoding="utf-8")) for path in _paths()}
    sites = {site.key: (site, node) for path, tree in trees.items() for site, node in _sites(path, tree)}
    outcomes = _outcomes(args.results)
    if not outcomes:
        sample = random.Random(args.seed).sample(sorted(sites), min(args.count, len(sites)))
        outcomes = dict.fromkeys(sample, "")
        _note(args.results, [{**asdict(sites[key][0]), "outcome": ""} for key in sample])
    print(f"{len(sites)} places, {len(outcomes)} of them changed", flush=True)
    chosen = [key for key in outcomes if key in sites]
    open_ = {
        number
        for number, key in enumerate(chosen)
        if not outcomes[key]
        or outcomes[key].startswith("so far")
        or (args.again and outcomes[key].startswith("survived"))
    }
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        folder = Path(temporary) / "copy"
        _copied(folder, trees, {number: sites[key] for number, key in enumerate(chosen)})
        stages = [args.tests] if args.tests else STAGES
        for stage, tests in enumerate(stages):
            plan = {"tests": tests, "jobs": args.jobs, "reached": str(Path(temporary) / "reached")}
            plan["sites"] = {number: asdict(sites[chosen[number]][0]) for number in sorted(open_)}
            plan["results"] = str(args.results.resolve())
            plan["last"] = stage == len(stages) - 1
            plan["before"] = {number: _asked_before(outcomes[chosen[number]]) for number in open_ if stage}
            if open_:
                _run_stage(folder, plan)
            outcomes = _outcomes(args.results)
            open_ = {number for number in open_ if not outcomes[chosen[number]].startswith("killed")}
    return _summary(outcomes, sites)


def _paths() -> list[str]:
    return [
        path.relative_to(REPOSITORY).as_posix()
        for package in PACKAGES
        for path in sorted((REPOSITORY / "dlint" / package).glob("**/*.py"))
    ]


def _sites(path: str, tree: ast.Module) -> Iterator[tuple[Site, ast.AST]]:
    """Every change that can be made in the functions of a file."""
    alike: Counter[tuple[str, str, str]] = Counter()

    def below(node: ast.AST, names: tuple[str, ...], inside: bool) -> Iterator[tuple[Site, ast.AST]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = (*names, node.name)
            inside = inside or not isinstance(node, ast.ClassDef)
        if inside and names[-1] not in ("__repr__", "__str__"):
            for kind, changed, shown in _changes(node):
                alike[site := (".".join(names), kind, ast.unparse(shown))] += 1
                yield Site(path, *site, alike[site], shown.lineno), changed
        for child in ast.iter_child_nodes(node):
            yield from below(child, names, inside)

    yield from below(tree, (), False)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST, ast.expr]]:
    """The kinds of change, the node that is changed, and the expression that shows which."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if not isinstance(test, ast.Constant):
                yield "negated", node, test
        case ast.match_case(guard=ast.expr() as guard):
            yield "negated", node, guard
        case ast.comprehension(ifs=[first, *_]):
            yield "negated", node, first
    match node:
        case ast.If(test=test):
            yield "dropped else of" if node.orelse else "dropped", node, test
        case ast.BoolOp():
            yield "swapped", node, node


class _Switched(ast.NodeTransformer):
    """Puts each mutant into a file's tree, behind its switch."""

    def __init__(self, numbers: dict[ast.AST, dict[str, int]]) -> None:
        self.numbers = numbers

    def visit(self, node: ast.AST) -> Any:
        numbers = self.numbers.get(node, {})
        super().visit(node)
        for kind, number in numbers.items():
            node = getattr(self, "_" + kind.split()[0])(node, f"_mutant_on({number})")
        return node

    @staticmethod
    def _negated(node: Any, on: str) -> ast.AST:
        def negated(test: ast.expr) -> ast.expr:
            return _expression(f"{on} != bool(TEST)", test)

        if isinstance(node, ast.match_case):
            assert node.guard is not None
            node.guard = negated(node.guard)
        elif isinstance(node, ast.comprehension):
            node.ifs[0] = negated(node.ifs[0])
        else:
            node.test = negated(node.test)
        return node  # type: ignore[no-any-return]

    @staticmethod
    def _swapped(node: ast.BoolOp, on: str) -> ast.AST:
        other = copy.deepcopy(node)
        other.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return _expression(f"OTHER if {on} else TEST", node, other)

    @staticmethod
    def _dropped(node: ast.If, on: str) -> ast.AST:
        if node.orelse:
            node.orelse = [ast.If(_expression(f"not {on}"), node.orelse, [])]
        else:
            node.test = _expression(f"TEST and not {on}", node.test)
        return node


def _expression(text: str, test: ast.expr | None = None, other: ast.expr | None = None) -> ast.expr:
    """The expression of a text, with others in the places of its names."""

    class Filled(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return {"TEST": test, "OTHER": other}.get(node.id) or node

    return Filled().visit(ast.parse(text, mode="eval").body)  # type: ignore[no-any-return]


def _copied(folder: Path, trees: dict[str, ast.Module], mutants: dict[int, tuple[Site, ast.AST]]) -> None:
    """A copy of the checkout, with the mutants in it."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        if name and (REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, folder / name, follow_symlinks=False)
    numbers: dict[ast.AST, dict[str, int]] = defaultdict(dict)
    for number, (site, node) in mutants.items():
        numbers[node][site.kind] = number
    for path in {site.path for site, _ in mutants.values()}:
        body = _Switched(numbers).visit(trees[path]).body
        # Behind the docstring and what must come first.
        at = next((n for n, each in enumerate(body) if not _must_be_first(each)), len(body))
        body.insert(at, *ast.parse("from dlint.mutants_switch import on as _mutant_on").body)
        (folder / path).write_text(ast.unparse(ast.fix_missing_locations(trees[path])), encoding="utf-8")
    (folder / "dlint/mutants_switch.py").write_text(_SWITCH, encoding="utf-8")


def _must_be_first(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) or (
        isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    )


def _run_stage(folder: Path, plan: dict[str, Any]) -> None:
    """One process that loads the stage's tests; what it runs is forked from it."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "DLINT_MUTANTS_REACHED": plan["reached"]}
    command = [sys.executable, __file__, "--inside", json.dumps(plan)]
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise SystemExit(f"the tests of {' '.join(plan['tests'])} could not be run")


def _outcomes(results: Path) -> dict[tuple[str, str, str, str, int], str]:
    if not results.exists():
        return {}
    lines = map(json.loads, results.read_text(encoding="utf-8").splitlines())
    return {
        (line["path"], line["function"], line["kind"], line["text"], line["nth"]): line["outcome"]
        for line in lines
    }


def _asked_before(outcome: str) -> int:
    """How many tests an earlier stage asked."""
    return int(outcome.split()[2]) if outcome.startswith("so far") else 0


def _note(results: Path, lines: list[dict[str, Any]]) -> None:
    with results.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def _summary(outcomes: dict[Any, str], sites: dict[Any, Any]) -> int:
    packages: dict[str, Counter[str]] = defaultdict(Counter)
    for key, outcome in outcomes.items():
        word = outcome.split(":")[0] if key in sites else "gone"
        packages[key[0].split("/")[1]][word] += 1
        packages["all"][word] += 1
        if word == "survived":
            print(f"survived: {sites[key][0]}: {outcome}")
    for package in (*PACKAGES, "all"):
        counts = packages[package]
        judged = counts["killed"] + counts["survived"]
        print(f"{package}: {counts['killed']} of {judged} killed", end="")
        print("".join(f", {counts[word]} {word or 'not run'}" for word in ("gone", "") if counts[word]))
    return 1 if packages["all"]["survived"] else 0


# What follows runs in the process that has loaded the tests.


@dataclass
class _Item:
    """One test, and what it does where no mutant is on."""

    item: Any
    seconds: float = 0.0
    failed: bool = True  # until it is seen to pass
    reached: frozenset[int] = frozenset()


class Mutants:
    """A pytest plugin: instead of running the tests once, it runs them for each mutant."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.sites = {int(number): Site(**site) for number, site in plan["sites"].items()}
        self.folder = Path(plan["reached"]).parent
        self.failed = False

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: Any) -> bool:
        early = self._reached_in(Path(self.plan["reached"]))
        if early:
            print(f"reached while the tests were loaded: {sorted(early)}", flush=True)
        items = self._without_mutants(session.items)
        broken = [each.item.nodeid for each in items if each.failed]
        print(f"{len(items)} tests; not asked, as they fail without mutants: {broken}", flush=True)
        waiting = sorted(self.sites)
        running: dict[int, tuple[int, list[_Item], float]] = {}  # the process, its tests, since when
        while waiting or running:
            while waiting and len(running) < self.plan["jobs"]:
                number = waiting.pop(0)
                asked = [each for each in items if number in each.reached and not each.failed]
                asked.sort(key=lambda each: each.seconds)
                if asked:
                    running[number] = (self._forked(number, asked), asked, time.monotonic())
                else:
                    self._say(number, self._survived(number, 0))
            time.sleep(0.05)
            for number, (process, asked, began) in list(running.items()):
                if (outcome := self._outcome(number, process, asked, began)) is not None:
                    del running[number]
                    self._say(number, outcome)
        return True

    def _say(self, number: int, outcome: str) -> None:
        print(f"{self.sites[number]}: {outcome}", flush=True)
        _note(Path(self.plan["results"]), [{**asdict(self.sites[number]), "outcome": outcome}])

    def _survived(self, number: int, tests: int) -> str:
        """What is said of one that these tests of the stage, and those of earlier ones, did not notice."""
        tests += self.plan["before"].get(str(number), 0)
        return f"{'survived' if self.plan['last'] else 'so far'}: {tests} tests reach it"

    def _without_mutants(self, items: list[Any]) -> list[_Item]:
        """Every test once, by as many processes as may run: what it reaches and takes."""
        known = [_Item(item) for item in items]
        jobs = self.plan["jobs"]
        processes = []
        for job in range(jobs):
            if (process := os.fork()) == 0:
                self._begin(-1, self.folder / f"reached-{job}")
                with (self.folder / f"known-{job}").open("w") as file:
                    # Neighbours share what their module has made ready.
                    for at in range(len(known) * job // jobs, len(known) * (job + 1) // jobs):
                        began = time.monotonic()
                        failed = self._fails(known[at].item, None)
                        line: list[Any] = [at, time.monotonic() - began, failed, sorted(self._reached())]
                        file.write(json.dumps(line) + "\n")
                        file.flush()
                os._exit(0)
            processes.append(process)
        for process in processes:
            os.waitpid(process, 0)
        for job in range(jobs):
            for known_line in (self.folder / f"known-{job}").read_text().splitlines():
                at, took, failed, numbers = json.loads(known_line)
                known[at] = _Item(known[at].item, took, failed, frozenset(numbers))
        return known

    def _forked(self, number: int, asked: list[_Item]) -> int:
        """A process that runs these tests with a mutant, and says which one it is at."""
        now = self.folder / f"now-{number}"
        now.unlink(missing_ok=True)
        if process := os.fork():
            return process
        os.setsid()
        self._begin(number, None)
        for at, each in enumerate(asked):
            now.write_text(str(at))
            following = asked[at + 1].item if at + 1 < len(asked) else None
            if self._fails(each.item, following):
                os._exit(1)
        os._exit(0)

    def _outcome(self, number: int, process: int, asked: list[_Item], began: float) -> str | None:
        now = self.folder / f"now-{number}"
        ended, status = os.waitpid(process, os.WNOHANG)
        at = int(now.read_text() or 0) if now.exists() else 0
        if ended:
            name = asked[at].item.nodeid
            return f"killed: {name}" if status else self._survived(number, len(asked))
        since = now.stat().st_mtime if now.exists() else time.time()
        far_longer = time.time() - since > SECONDS + TIMES * asked[at].seconds
        if not far_longer and time.monotonic() - began < AT_MOST:
            return None
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        return (
            f"killed: by the limit, in {asked[at].item.nodeid}" if far_longer else self._survived(number, at)
        )

    def _begin(self, number: int, reached: Path | None) -> None:
        """What a forked process does first: its switch, for itself and what it starts, and silence."""
        mutants_switch: Any = importlib.import_module("dlint.mutants_switch")  # of the copy
        mutants_switch.active = number
        os.environ["DLINT_MUTANT"] = str(number)
        if reached is None:
            os.environ.pop("DLINT_MUTANTS_REACHED", None)
        else:
            os.environ["DLINT_MUTANTS_REACHED"] = str(reached)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)

    def _fails(self, item: Any, following: Any) -> bool:
        mutants_switch: Any = importlib.import_module("dlint.mutants_switch")
        mutants_switch.reached.clear()
        self.failed = False
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return self.failed

    def _reached(self) -> set[int]:
        return self._reached_in(Path(os.environ["DLINT_MUTANTS_REACHED"]))

    @staticmethod
    def _reached_in(path: Path) -> set[int]:
        """What was reached since this was asked last."""
        numbers = {int(line) for line in path.read_text().split()} if path.exists() else set()
        path.unlink(missing_ok=True)
        return numbers


def inside(plan: dict[str, Any]) -> int:
    """Loads the tests of a stage, and runs them for each of its mutants."""
    import pytest

    return pytest.main(["-q", "-s", "-p", "no:cacheprovider", *plan["tests"]], plugins=[Mutants(plan)])


if __name__ == "__main__":
    sys.exit(inside(json.loads(sys.argv[2])) if sys.argv[1:2] == ["--inside"] else main())
