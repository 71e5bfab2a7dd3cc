"""``dlint check --watch`` checks again when something changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest
from doors import CLEAN, HAZARD, REPOSITORY, dlint, write

PATIENCE = 120.0  # seconds


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    write(tmp_path, {"a.py": CLEAN, "pyproject.toml": ""})
    process = subprocess.Popen(
        [sys.executable, "-m", "dlint", "check", "--watch"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    late = Timer(PATIENCE, process.kill)
    late.start()
    yield process
    late.cancel()
    process.kill()
    process.communicate()


def _until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return
    raise AssertionError(f"it never said {words!r}")


def test_checks_after_each_change(watching: subprocess.Popen[str], tmp_path: Path) -> None:
    _until(watching, "No findings in 1 file.")
    write(tmp_path, {"b.py": HAZARD})
    _until(watching, "1 finding (1 error) in 2 files.")
    write(tmp_path, {"pyproject.toml": "[tool.dlint]\nignor = []\n"})
    _until(watching, "has no key")
    write(tmp_path, {"pyproject.toml": '[tool.dlint]\nignore = ["DL301"]\n'})
    _until(watching, "No findings in 2 files.")
    watching.send_signal(signal.SIGINT)
    assert watching.wait(PATIENCE) == -signal.SIGINT


@pytest.mark.parametrize(
    ("arguments", "other"),
    [(("--fix",), "--fix"), (("--add-noqa",), "--add-noqa"), (("-",), "standard input")],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, arguments: tuple[str, ...], other: str) -> None:
    result = dlint(write(tmp_path, {"a.py": HAZARD}), "check", "--watch", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"dlint: --watch checks again and again: it does not go with {other}\n"
