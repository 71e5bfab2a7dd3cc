"""Running the doors as users do: the command and flake8 as programs of their own, in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

# One finding, DL301, in line 5 from column 12: ValueError when the loader is made.
HAZARD = """\
from torch.utils.data import DataLoader, RandomSampler


def make(dataset):
    return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)
"""
CLEAN = """\
from torch.utils.data import DataLoader


def make(dataset):
    return DataLoader(dataset, shuffle=True, num_workers=2)
"""

_LOCAL_PLUGIN = "[flake8:local-plugins]\nextension =\n    DL = dlint.flake8_plugin:DataLoadingChecker\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def run(
    folder: Path, *command: str, stdin: bytes = b"", start: Sequence[str] = (sys.executable, "-m")
) -> subprocess.CompletedProcess[str]:
    """The module's command line with this Python, in ``folder``; ``start`` is what the line begins with."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *_inherited()])}
    result = subprocess.run([*start, *command], cwd=folder, input=stdin, capture_output=True, env=environment)
    out, err = (
        stream.decode("utf-8").replace("\r\n", "\n") for stream in (result.stdout, result.stderr)
    )  # fmt: skip
    return subprocess.CompletedProcess(result.args, result.returncode, out, err)


def dlint(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    return run(folder, "dlint", *arguments, stdin=stdin)


def flake8(
    folder: Path, *arguments: str, stdin: bytes = b"", config: str = ""
) -> subprocess.CompletedProcess[str]:
    """flake8 with the plugin: as installed, or from this working tree where it is not installed."""
    file = folder / ".flake8"
    file.write_text(flake8_configuration(config))
    return run(folder, "flake8", "--config", str(file), *arguments, stdin=stdin)


def flake8_configuration(config: str = "") -> str:
    """What flake8 must be told to know the plugin."""
    return f"[flake8]\n{config}\n" + ("" if _installed() else _LOCAL_PLUGIN)


def _inherited() -> list[str]:
    return [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]


def _installed() -> bool:
    points = metadata.entry_points(group="flake8.extension")
    return any(point.value.startswith("dlint.flake8_plugin:") for point in points)
