"""What `dlint check` costs, against parsing the same files, TorchFix, and flake8 without it; and its memory.

    python benchmarks/check_speed.py TREE... [--torchfix PATH] [--flake8] [--memory [FILES]] [--times 3]

Every TREE is checked from inside, as a user does, and measured in one run: seconds of processor time (user
and system, all processes) and of the clock, the best of several runs.

start        the interpreter starts and imports ast
relevant     reads all files and parses those that mention data loading, start included
all          reads and parses all files, start included
check        dlint check, one process
torchfix     torchfix --select ALL, once (pip install torchfix==0.7.0 in an environment of its own)
flake8       flake8 -j 2 with the plugin and without: the baseline cannot see the distribution at all
memory       the peak of a check of generated files (synthetic_tree.py), all its processes together

The targets: check at most 2 x relevant, at least 50 x faster than TorchFix, flake8 at most 1.05 x, memory
below 300 MB on 10,000 files.
"""

from __future__ import annotations

import argparse
import atexit
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from synthetic_tree import write_tree

REPOSITORY = Path(__file__).resolve().parents[1]

# What counts as a file that mentions data loading.
WORDS = rb"DataLoader|Dataset|__getitem__"

_START = "import ast"
# The listing is part of the check, so it is passed in and not made here.
_PARSE = f"""
import ast, re, sys, warnings
warnings.simplefilter("ignore")
sys.setrecursionlimit(10_000)
wanted = re.compile({WORDS!r}) if sys.argv[1] == "relevant" else None
files = lines = 0
for path in sys.stdin.read().splitlines():
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        continue
    if wanted is None or wanted.search(data):
        files += 1
        lines += data.count(b"\\n")
        try:
            ast.parse(data)
        except (SyntaxError, ValueError, RecursionError):
            pass
print(files, lines)
"""
# flake8 finds plugins by the metadata of what is installed: `without` hides dlint's from it.
_FLAKE8 = """
import sys
from importlib import metadata
if sys.argv.pop(1) == "without":
    every = metadata.distributions
    metadata.distributions = lambda **kept: (
        each for each in every(**kept) if each.metadata["name"] != "torch-dlint"
    )
from flake8.main.cli import main
sys.exit(main())
"""
_LOCAL_PLUGIN = "[flake8:local-plugins]\nextension =\n    DL = dlint.flake8_plugin:DataLoadingChecker\n"


class Cost(NamedTuple):
    """Seconds of processor time and of the clock, and the largest process in MB."""

    cpu: float
    wall: float
    megabytes: float
    output: str


@cache
def environment() -> dict[str, str]:
    """That of a user, whose Python keeps compiled modules: it is made to, and has them."""
    compiled = tempfile.mkdtemp(prefix="check_speed-")
    atexit.register(shutil.rmtree, compiled, ignore_errors=True)
    made = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONPYCACHEPREFIX": compiled}
    made.pop("PYTHONDONTWRITEBYTECODE", None)
    for module in ("dlint", "flake8"):
        subprocess.run([sys.executable, "-m", module, "--version"], env=made, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as empty:
        subprocess.run(check_command(), cwd=empty, env=made, stdout=subprocess.DEVNULL)
    return made


def measure(command: Sequence[str], folder: Path, stdin: str = "", limit: float = 3600) -> Cost:
    """One run of a command in a folder; its children count."""
    made = environment()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write(stdin.encode())
        given.seek(0)
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=given,
            stdout=out,
            stderr=out,
            env=made,
            start_new_session=True,
        )
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
        signal.alarm(int(limit))
        _, status, used = os.wait4(process.pid, 0)
        signal.alarm(0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read().decode(errors="replace")
    # dlint ends with 2 when it could not read some file; it has checked the others.
    if process.returncode not in (0, 1, 2) or "Traceback" in output:
        raise SystemExit(f"{' '.join(command[:4])} ended with {process.returncode}:\n{output[-2000:]}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, output)


def best(times: int, command: Sequence[str], folder: Path, stdin: str = "") -> Cost:
    """The run of several that took the least processor time."""
    return min(measure(command, folder, stdin) for _ in range(times))


def check_command(jobs: int = 1) -> list[str]:
    return [sys.executable, "-m", "dlint", "check", "--exit-zero", "--statistics", "--jobs", str(jobs)]


def listing(tree: Path) -> str:
    """The files that a check of a tree reads, one a line."""
    sys.path.insert(0, str(REPOSITORY))
    from dlint.project.files import python_files

    return "\n".join(str(path) for path in python_files(tree))


_HEAD = (
    f"{'tree':44} {'files':>6} {'relev.':>6} {'start':>6} {'relev.':>6} {'all':>6} {'check':>7} "
    f"{'x relev.':>8} {'x all':>7}"
)


class Speed(NamedTuple):
    """What one tree costs."""

    name: str
    files: int
    relevant_files: int
    start: float
    relevant: float
    all: float
    check: float

    def __str__(self) -> str:
        return (
            f"{self.name:44} {self.files:6} {self.relevant_files:6} {self.start:6.2f} {self.relevant:6.2f} "
            f"{self.all:6.2f} {self.check:7.2f} "
            f"{self.check / self.relevant:8.2f} {self.check / self.all:7.2f}"
        )


def speed(tree: Path, times: int) -> Speed:
    """`dlint check` and parsing, one after the other so that both meet the same load."""
    files = listing(tree)
    python = [sys.executable, "-c"]
    runs = [
        (
            measure([*python, _START], tree),
            measure([*python, _PARSE, "relevant"], tree, files),
            measure([*python, _PARSE, "all"], tree, files),
            measure(check_command(), tree),
        )
        for _ in range(times)
    ]
    start, relevant, every, check = (min(costs) for costs in zip(*runs, strict=True))
    return Speed(
        tree.name,
        int(every.output.split()[0]),
        int(relevant.output.split()[0]),
        start.cpu,
        relevant.cpu,
        every.cpu,
        check.cpu,
    )


def flake8(tree: Path, times: int) -> tuple[Cost, Cost]:
    """flake8 with the plugin and without."""
    with tempfile.TemporaryDirectory() as folder:
        bare, local = Path(folder, "bare.cfg"), Path(folder, "local.cfg")
        bare.write_text("[flake8]\n")
        local.write_text("[flake8]\n" + ("" if _installed() else _LOCAL_PLUGIN))
        runs = []
        for config, mode in ((local, "with"), (bare, "without")):
            command = [sys.executable, "-c", _FLAKE8, mode, "--config", str(config), "-j", "2"]
            told = measure([*command, "--help"], tree).output
            if ("--dlint-target-torch" in told) is not (mode == "with"):
                raise SystemExit(f"flake8 {mode} the plugin knows the wrong options:\n{told}")
            runs.append([*command, "--exit-zero", "."])
        pairs = [(measure(runs[0], tree), measure(runs[1], tree)) for _ in range(times)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def _installed() -> bool:
    from importlib import metadata

    return any(each.metadata["name"] == "torch-dlint" for each in metadata.distributions())


def torchfix(tree: Path, program: str) -> Cost:
    """TorchFix as its users run it, on all cores."""
    return measure([program, "--select", "ALL", "."], tree)


def peak_memory(tree: Path, jobs: int) -> tuple[float, float]:
    """The largest sum of the memory of a check's processes (shared pages once) in MB, and its seconds."""
    made = environment()
    started = time.perf_counter()
    process = subprocess.Popen(
        check_command(jobs), cwd=tree, stdout=subprocess.DEVNULL, env=made, start_new_session=True
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, sum(_proportional(pid) for pid in _family(process.pid)))
        time.sleep(0.02)
    return peak, time.perf_counter() - started


def _family(pid: int) -> list[int]:
    found = [pid]
    for each in found:  # grows meanwhile
        try:
            children = Path(f"/proc/{each}/task/{each}/children").read_text()
        except OSError:
            continue
        found += map(int, children.split())
    return found


def _proportional(pid: int) -> float:
    try:
        match = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0.0
    return int(match[1]) / 1024 if match else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", nargs="*", type=Path, metavar="TREE")
    parser.add_argument("--times", type=int, default=3, help="runs of each, the best counts (3)")
    parser.add_argument("--torchfix", metavar="PROGRAM", help="compare with this torchfix, in the first TREE")
    parser.add_argument(
        "--flake8", action="store_true", help="compare flake8 with and without, in the first TREE"
    )
    parser.add_argument(
        "--memory",
        nargs="?",
        type=int,
        const=10_000,
        metavar="FILES",
        help="measure memory on generated files",
    )
    chosen = parser.parse_args()
    trees = [tree.resolve() for tree in chosen.trees]
    if trees:
        print(
            f"relevant: files that match {WORDS.decode()}; seconds of processor time, best of {chosen.times}"
        )
        print(_HEAD)
    measured = []
    for tree in trees:
        measured.append(speed(tree, chosen.times))
        print(measured[-1], flush=True)
    if len(measured) > 1:
        sums = (sum(column) for column in list(zip(*measured, strict=True))[1:])
        print(Speed("sum", *sums))
    if chosen.flake8:
        with_plugin, without = flake8(trees[0], chosen.times)
        print(
            f"flake8 -j 2 in {trees[0].name}: "
            f"with {with_plugin.cpu:.2f} s ({with_plugin.wall:.2f} on the clock), "
            f"without {without.cpu:.2f} s ({without.wall:.2f}): {with_plugin.cpu / without.cpu:.3f} x "
            f"({with_plugin.wall / without.wall:.3f} x on the clock)"
        )
    if chosen.torchfix:
        ours = best(chosen.times, check_command(0), trees[0])
        theirs = torchfix(trees[0], chosen.torchfix)
        print(
            f"torchfix in {trees[0].name}: {theirs.cpu:.1f} s ({theirs.wall:.1f} on the clock), "
            f"dlint {ours.cpu:.2f} s ({ours.wall:.2f}): {theirs.cpu / ours.cpu:.0f} x faster "
            f"({theirs.wall / ours.wall:.0f} x on the clock)"
        )
    if chosen.memory:
        with tempfile.TemporaryDirectory() as folder:
            lines = write_tree(Path(folder), chosen.memory)
            print(f"memory on {chosen.memory} generated files ({lines} lines):")
            for jobs in (1, 0):
                megabytes, wall = peak_memory(Path(folder), jobs)
                name = "one process" if jobs else f"--jobs 0 ({os.cpu_count()} cores)"
                print(f"    {name}: {megabytes:.0f} MB, {wall:.1f} s on the clock", flush=True)


if __name__ == "__main__":
    main()
