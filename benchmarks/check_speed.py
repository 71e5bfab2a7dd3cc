"""What `dlint check` costs, against parsing the same files, a second run, and flake8 without it; its memory.

    python benchmarks/check_speed.py TREE... [--flake8] [--torchfix PATH] [--memory [FILES]] [--times 3]

Every TREE is checked from inside, as a user does. Seconds are of processor time (user and system, all
processes), the best of several runs; the start of the processes is taken off and told apart. Nothing is
written to a TREE.

parse      reads and parses every file: `ast.parse`, less the start of Python with `import ast`
relevant   the same of the files that mention data loading
check      dlint check --no-cache, one process, less the start of a check of one small file with a loader
again      the second dlint check of an unchanged tree, from the cache, start included
reading    reads every file, less the start of Python
MB         the largest that the process of the check was
flake8     flake8 -j 2 without the plugin (which cannot see the distribution at all), and how many times that
           it takes with the plugin: without a cache, and from it
torchfix   torchfix --select ALL, once (pip install torchfix==0.7.0 in an environment of its own)
memory     the peak of a check of generated files (synthetic_tree.py), all its processes together

The bars: the start 0.12 s; check 2 x parse in all, 4 x parse + 0.3 s and 400 MB in each; again 0.3 s +
reading; flake8 1.10 x without a cache and 1.03 x from it; at least 50 x faster than TorchFix; memory below
300 MB on 10,000 files.
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
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from synthetic_tree import write_tree

REPOSITORY = Path(__file__).resolve().parents[1]

# What counts as a file that mentions data loading.
WORDS = rb"DataLoader|Dataset|__getitem__"

_START = "import ast"
# The smallest program that every part of a check is needed for.
_SMALL = """\
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __getitem__(self, index):
        return index


loader = DataLoader(Numbers(), num_workers=2)
"""
# The listing is part of the check, so it is passed in and not made here.
_PARSE = f"""
import ast, re, sys, warnings
warnings.simplefilter("ignore")
sys.setrecursionlimit(10_000)
what = sys.argv[1]
wanted = re.compile({WORDS!r}) if what == "relevant" else None
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
        if what == "reading":
            continue
        try:
            ast.parse(data)
        except (SyntaxError, ValueError, RecursionError):
            pass
print(files, lines)
"""
# flake8 finds plugins by the metadata of what is installed: `without` hides dlint's from it, at no cost.
_FLAKE8 = """
import sys
from importlib import metadata
if sys.argv.pop(1) == "without":
    every = metadata.distributions
    metadata.distributions = lambda **kept: (
        each for each in every(**kept) if "torch_dlint-" not in str(getattr(each, "_path", ""))
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


def check_command(jobs: int = 1, cache: str | None = None) -> list[str]:
    command = [sys.executable, "-m", "dlint", "check", "--exit-zero", "--statistics", "--jobs", str(jobs)]
    return [*command, "--no-cache"] if cache is None else [*command, "--cache-dir", cache]


def listing(tree: Path) -> str:
    """The files that a check of a tree reads, one a line."""
    sys.path.insert(0, str(REPOSITORY))
    from dlint.project.files import python_files

    return "\n".join(str(path) for path in python_files(tree))


_HEAD = (
    f"{'tree':44} {'files':>6} {'parse':>6} {'relev.':>6} {'check':>7} {'x parse':>7} {'x rel.':>7} "
    f"{'again':>6} {'reading':>7} {'MB':>5}"
)


class Speed(NamedTuple):
    """What one tree costs, starts taken off."""

    name: str
    files: int
    parse: float
    relevant: float
    check: float
    again: float
    reading: float
    megabytes: float

    def __str__(self) -> str:
        return (
            f"{self.name:44} {self.files:6} {self.parse:6.2f} {self.relevant:6.2f} {self.check:7.2f} "
            f"{_ratio(self.check, self.parse):7.2f} {_ratio(self.check, self.relevant):7.2f} "
            f"{self.again:6.2f} {self.reading:7.2f} {self.megabytes:5.0f}"
        )


def _ratio(cost: float, base: float) -> float:
    return cost / base if base > 0 else float("inf")


class Starts(NamedTuple):
    """Seconds before there is anything to do: of Python, and of a check."""

    python: float
    check: float


def starts(times: int) -> Starts:
    """Best of rather many runs, for they are short."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "small.py").write_text(_SMALL)
        python = [sys.executable, "-c", _START]
        return Starts(*(best(5 * times, command, Path(folder)).cpu for command in (python, check_command())))


def speed(tree: Path, times: int, start: Starts) -> Speed:
    """`dlint check` and parsing, one after the other so that both meet the same load."""
    files = listing(tree)
    parse = [sys.executable, "-c", _PARSE]
    with tempfile.TemporaryDirectory() as cache:
        runs = [
            (
                measure([*parse, "all"], tree, files),
                measure([*parse, "relevant"], tree, files),
                measure([*parse, "reading"], tree, files),
                measure(check_command(), tree),
            )
            for _ in range(times)
        ]
        measure(check_command(cache=cache), tree)
        again = best(times, check_command(cache=cache), tree)
    every, relevant, reading, check = (min(costs) for costs in zip(*runs, strict=True))
    return Speed(
        tree.name,
        int(every.output.split()[0]),
        every.cpu - start.python,
        relevant.cpu - start.python,
        check.cpu - start.check,
        again.cpu,
        reading.cpu - start.python,
        check.megabytes,
    )


class Flake8(NamedTuple):
    """Seconds that flake8 takes for a tree: without the plugin, with it, and with it from the cache."""

    name: str
    without: float
    whole: float
    cached: float

    def __str__(self) -> str:
        return (
            f"flake8 -j 2 in {self.name}: without the plugin {self.without:.2f} s, "
            f"with it {_ratio(self.whole, self.without):.3f} x, "
            f"from the cache {_ratio(self.cached, self.without):.3f} x"
        )


def flake8(tree: Path, times: int) -> Flake8:
    """flake8 in the three ways, one after the other so that all meet the same load."""
    with tempfile.TemporaryDirectory() as folder:
        bare, local = Path(folder, "bare.cfg"), Path(folder, "local.cfg")
        bare.write_text("[flake8]\n")
        local.write_text("[flake8]\n" + ("" if _installed() else _LOCAL_PLUGIN))
        commands = []
        for config, mode, options in (
            (bare, "without", ()),
            (local, "with", ("--dlint-no-cache",)),
            (local, "with", ("--dlint-cache-dir", str(Path(folder, "cache")))),
        ):
            command = [sys.executable, "-c", _FLAKE8, mode, "--config", str(config), "-j", "2"]
            told = measure([*command, "--help"], tree).output
            if ("--dlint-target-torch" in told) is not (mode == "with"):
                raise SystemExit(f"flake8 {mode} the plugin knows the wrong options:\n{told}")
            commands.append([*command, *options, "--exit-zero", "."])
        measure(commands[-1], tree)
        runs = [[measure(command, tree).cpu for command in commands] for _ in range(times)]
    return Flake8(tree.name, *(min(costs) for costs in zip(*runs, strict=True)))


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


def _show_all(kind: type[Speed] | type[Flake8], rows: Iterable[Speed | Flake8]) -> None:
    """Prints each as it comes, then all together; of memory the largest."""
    shown = []
    for row in rows:
        print(row, flush=True)
        shown.append(row)
    if len(shown) > 1:
        columns = zip(*(row[1:] for row in shown), strict=True)
        sums = [
            max(column) if name == "megabytes" else sum(column)
            for name, column in zip(kind._fields[1:], columns, strict=True)
        ]
        print(kind("all", *sums))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", nargs="*", type=Path, metavar="TREE")
    parser.add_argument("--times", type=int, default=3, help="runs of each, the best counts (3)")
    parser.add_argument("--torchfix", metavar="PROGRAM", help="compare with this torchfix, in the first TREE")
    parser.add_argument("--flake8", action="store_true", help="compare flake8 with the plugin and without")
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
        start = starts(chosen.times)
        print(f"start: Python {start.python:.3f} s, a check where a loader is mentioned {start.check:.3f} s")
        print(
            f"relevant: files that match {WORDS.decode()}; seconds of processor time, best of {chosen.times}"
        )
        print(_HEAD)
    _show_all(Speed, (speed(tree, chosen.times, start) for tree in trees))
    if chosen.flake8:
        _show_all(Flake8, (flake8(tree, chosen.times) for tree in trees))
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
