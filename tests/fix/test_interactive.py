"""``dlint fix`` on a terminal: asking before each repair, and the summary by rule."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fix.project import PHOTOS, REPAIRED, make, python

_SECOND = """\
from torch.utils.data import DataLoader, RandomSampler

data = range(9)
order = RandomSampler(data)
first = DataLoader(data, sampler=order, shuffle=True)
second = DataLoader(data, 2, sampler=order, shuffle=True)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = make(tmp_path)
    (folder / "loaders.py").write_text(_SECOND)
    return folder


def _on_terminal(folder: Path, *arguments: str, answers: str = "") -> tuple[int, str]:
    """The exit code and all that a terminal shows, without its colours."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dlint", *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "xterm"},
    )
    os.close(theirs)
    os.write(ours, answers.encode() + b"\x04\x04")  # then nobody answers any more
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # Linux' way to say that nobody writes any more
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode().replace("\r\n", "\n")


def test_yes_and_no(project: Path) -> None:
    code, shown = _on_terminal(project, "fix", "--interactive", answers="n\ny\nn\n")
    assert code == 1
    assert "\x1b[32m+cv2.setNumThreads(0)" in shown
    assert "left: declined" in shown
    assert (project / "photos.py").read_text() == PHOTOS
    assert (project / "loaders.py").read_text() == _SECOND.replace(
        "first = DataLoader(data, sampler=order, shuffle=True)", "first = DataLoader(data, sampler=order)"
    )


def test_all_of_a_rule(project: Path) -> None:
    code, shown = _on_terminal(project, "fix", "--interactive", answers="n\na\n")
    assert code == 1
    assert (project / "loaders.py").read_text() == _SECOND.replace(", shuffle=True", "")
    assert re.search(r"DL301 sampler-with-shuffle +repaired 2\n", shown)
    assert re.search(r"DL101 cv2-threads-in-worker +left 1\n +1 because declined\n", shown)


def test_quit_keeps_what_was_agreed_to(project: Path) -> None:
    _on_terminal(project, "fix", "--interactive", answers="?\ny\nq\n")
    assert (project / "photos.py").read_text() == REPAIRED
    assert (project / "loaders.py").read_text() == _SECOND


def test_without_a_terminal(project: Path) -> None:
    done = python(project, "dlint", "fix", "--interactive")
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
    assert python(project, "dlint", "fix", "--interactive", "--diff").returncode == 2
    assert (project / "photos.py").read_text() == PHOTOS


def test_a_diff_is_coloured_on_a_terminal_and_plain_in_a_pipe(project: Path) -> None:
    _, shown = _on_terminal(project, "fix", "--diff")
    assert "\x1b[32m+cv2.setNumThreads(0)" in shown
    assert "\x1b[" not in python(project, "dlint", "fix", "--diff").stdout
