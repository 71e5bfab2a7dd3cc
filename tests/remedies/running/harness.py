"""Small projects, before and after their repair, run with torch: what must stay has stayed.

A project is a folder of files with a ``main.py`` that defines ``show(method, workers)``. That prints what it
sees: ``method`` is a start method for its loaders (``multiprocessing_context=method if workers else None``),
``workers`` their number. It is called in one process for every way of :data:`WAYS`, each time with the three
global random states seeded anew; after each call their next numbers are printed too, so that a repair which
draws from main's own streams shows.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dlint import engine
from dlint.repair import repair
from dlint.settings.settings import Settings

WAYS = (("fork", 0), ("fork", 2), ("spawn", 0), ("spawn", 2))

_SECONDS = 300  # far more than any of them needs, on a busy machine as well
_DRIVER = """\
import random
import sys

import numpy as np
import torch

import main

if __name__ == "__main__":
    torch.set_num_threads(1)
    for way in sys.argv[1:]:
        method, _, workers = way.partition(":")
        random.seed(7), np.random.seed(7), torch.manual_seed(7)
        print("==", way)
        try:
            main.show(method, int(workers))
        except Exception as error:
            print("error", type(error).__name__)
        print("streams", random.random(), np.random.random(), torch.rand(1).item(), flush=True)
"""


@dataclass(frozen=True)
class Shown:
    """What a project printed, by way (``"fork:2"``), and the process's exit code."""

    lines: dict[str, list[str]]
    code: int
    errors: str

    def kept(self, way: str) -> list[str]:
        """The lines of a way that the project calls ``keep ...``, and main's streams."""
        return [line for line in self.lines[way] if line.startswith(("keep ", "streams "))]

    def changed(self, way: str) -> list[str]:
        """The other lines: what the hazard makes of it, or an error."""
        return [line for line in self.lines[way] if not line.startswith(("keep ", "streams "))]


@dataclass(frozen=True)
class Both:
    """The two runs, and the files as the repair left them."""

    before: Shown
    after: Shown
    texts: dict[str, str]


def before_and_after(
    folder: Path, files: dict[str, str], code: str, settings: Settings | None = None
) -> Both:
    """Run a project, repair every finding of rule ``code`` in it (unsafe remedies too), and run it again.

    The findings must be there before, and none be left after.
    """
    return Both(
        show(_written(folder / "before", files)),
        show(repaired(_written(folder / "after", files), code, settings)),
        {name: (folder / "after" / name).read_text() for name in files},
    )


def _written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def repaired(folder: Path, code: str, settings: Settings | None = None) -> Path:
    """The project in a folder, repaired in place."""
    chosen = settings or Settings(extend_select=(code,))
    found = [each for each in engine.check([folder], chosen).findings if each.code == code]
    assert found, f"nothing of {code} to repair"
    repairs = repair([folder], chosen, unsafe=True)
    for each in repairs.files:
        each.path.write_bytes(each.new)
    left = [each for each in engine.check([folder], chosen).findings if each.code == code]
    assert not left, [left.reason for left in repairs.left]
    return folder


def show(folder: Path) -> Shown:
    """Call the project's ``show`` for every way."""
    (folder / "driver.py").write_text(_DRIVER)
    done = run(folder, "driver.py", *(f"{method}:{workers}" for method, workers in WAYS))
    lines: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        if line.startswith("== "):
            lines[line[3:]] = []
        elif lines:
            lines[next(reversed(lines))].append(line)
    return Shown(lines, done.returncode, done.stderr)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the project with this Python; it and its workers are gone afterwards."""
    environment = {**os.environ, "PYTHONPATH": "", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=_SECONDS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)
