"""Ended by a signal at any moment: files whole, nothing beside them, no traceback, no process left."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from dlint.own_process import ending

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of POSIX")

_ROOT = Path(__file__).parent.parent.parent
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_SAYS = {"SIGINT": "dlint: interrupted\n", "SIGTERM": "dlint: ended by SIGTERM\n"}
_SAYS["SIGHUP"] = "dlint: ended by SIGHUP\n"
_OLD = """\
from torch.utils.data import DataLoader, RandomSampler


def make(dataset):
    return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)
"""
_NEW = _OLD.replace(", shuffle=True", "")

# Says when Python itself has started, and begins. A shell's background job ignores SIGINT: that is undone.
_START = """\
import os, signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
{before}
from dlint.cli import main
os.write(1, b".")
main()
"""
# The writing of a file takes as long as the test needs, and says when it has begun.
_SLOW_DISK = """\
import time
sync = os.fsync
def slow(handle):
    os.write(1, b"!")
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        time.sleep(0.02)
    sync(handle)
os.fsync = slow
"""
# A signal that comes while a class is made: Python makes a RuntimeError of what its handler raises.
_IN_A_CLASS = """\
from dlint import engine
class Field:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGTERM)
def check(*_, **__):
    class Made:
        field = Field()
engine.check = check
"""
# A library's generator that complains when it is left half-way, as libcst's do.
_LEFT_HALF_WAY = """\
import time
from dlint import engine
def writes():
    try:
        yield
    finally:
        raise ValueError("half-way")
def check(*_, **__):
    left = writes()
    next(left)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(600)
engine.check = check
"""
# Two processes that work for ever at their first block, and say who they are.
_BUSY = """\
import multiprocessing, time
from dlint.analysis import analysis
from dlint.project import blocks
def work_for_ever(*_):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(600)
multiprocessing.set_start_method("fork")
blocks._BLOCK_BYTES = 1
analysis._Analysis.facts = work_for_ever
"""


def _start(folder: Path, *arguments: str, before: str = "") -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", _START.format(before=before), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.read(1) == b"."
    return process


def _files(folder: Path, count: int) -> Path:
    (folder / "pyproject.toml").write_text("")
    for number in range(count):
        (folder / f"m{number}.py").write_text(_OLD)
    return folder


def _whole_and_alone(folder: Path, count: int) -> bool:
    names = {each.name for each in folder.iterdir()}
    texts = {(folder / f"m{number}.py").read_text() for number in range(count)}
    return names == {"pyproject.toml", *(f"m{number}.py" for number in range(count))} and texts <= {
        _OLD,
        _NEW,
    }


@pytest.mark.parametrize("name", _SIGNALS)
def test_at_any_moment(tmp_path: Path, name: str) -> None:
    moments = random.Random(name)
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        process = _start(_files(folder, 8), "fix")
        time.sleep(moments.uniform(0, 0.8))
        process.send_signal(signal.Signals[name])
        _, complaint = process.communicate(timeout=60)
        assert _whole_and_alone(folder, 8)
        assert process.returncode in (0, -signal.Signals[name])
        # The last moments of Python itself belong to the system: it says nothing.
        assert complaint.decode() in ("", _SAYS[name])


def test_while_a_class_is_made(tmp_path: Path) -> None:
    process = _start(_files(tmp_path, 1), "fix", before=_IN_A_CLASS)
    _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint.decode()) == (-signal.SIGTERM, _SAYS["SIGTERM"])


def test_while_a_library_is_half_way(tmp_path: Path) -> None:
    process = _start(_files(tmp_path, 1), "fix", before=_LEFT_HALF_WAY)
    _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint.decode()) == (-signal.SIGTERM, _SAYS["SIGTERM"])


@pytest.mark.parametrize("name", _SIGNALS)
def test_while_a_file_is_written(tmp_path: Path, name: str) -> None:
    process = _start(_files(tmp_path, 2), "fix", before=_SLOW_DISK)
    assert process.stdout is not None
    assert process.stdout.read(1) == b"!"
    process.send_signal(signal.Signals[name])
    _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint.decode()) == (-signal.Signals[name], _SAYS[name])
    assert _whole_and_alone(tmp_path, 2)
    # The file at hand was finished, the next one not begun.
    assert [(tmp_path / f"m{number}.py").read_text() for number in range(2)] == [_NEW, _OLD]


@pytest.mark.parametrize("names", [("SIGINT", "SIGINT"), ("SIGTERM", "SIGHUP")])
def test_a_second_signal_ends_it_at_once(tmp_path: Path, names: Sequence[str]) -> None:
    process = _start(_files(tmp_path, 2), "fix", before=_SLOW_DISK.replace("1.5", "60"))
    assert process.stdout is not None
    assert process.stdout.read(1) == b"!"
    for name in names:
        process.send_signal(signal.Signals[name])
        time.sleep(0.2)
    _, complaint = process.communicate(timeout=40)
    assert (process.returncode, complaint) == (-signal.Signals[names[1]], b"")
    assert _whole_and_alone(tmp_path, 2)
    assert (tmp_path / "m0.py").read_text() == _OLD


@pytest.mark.skipif(sys.platform != "linux", reason="needs forks")
@pytest.mark.parametrize("name", _SIGNALS)
@pytest.mark.parametrize("group", [False, True], ids=["the command", "all of them"])
def test_no_process_is_left(tmp_path: Path, name: str, group: bool) -> None:
    process = _start(_files(tmp_path, 6), "check", "--jobs", "2", before=_BUSY)
    assert process.stdout is not None
    workers = [int(process.stdout.readline()) for _ in range(2)]
    (os.killpg if group else os.kill)(process.pid, signal.Signals[name])
    try:
        _, complaint = process.communicate(timeout=60)  # no process holds the streams any more
    finally:
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
    assert (process.returncode, complaint.decode()) == (-signal.Signals[name], _SAYS[name])


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_shell_sees_the_codes_it_knows(tmp_path: Path, name: str, code: int) -> None:
    program = _START.format(before=f"import threading\nend = lambda: os.kill(os.getpid(), signal.{name})")
    program = program.replace("main()", "threading.Timer(0.5, end).start()\nmain()")
    line = '"$0" -c "$1" check - >out <fifo; echo $?'
    done = subprocess.run(
        ["sh", "-c", f"mkfifo fifo; sleep 60 >fifo & {line}; kill $!", sys.executable, program],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(_ROOT)}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout == f"{code}\n"
    assert done.stderr.startswith(_SAYS[name])  # the shell may add what it calls the signal
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP"])
def test_what_is_ignored_stays_ignored(tmp_path: Path, name: str) -> None:
    ignore = f"signal.signal(signal.{name}, signal.SIG_IGN)\n{_SLOW_DISK}"
    process = _start(_files(tmp_path, 1), "fix", before=ignore)
    assert process.stdout is not None
    assert process.stdout.read(1) == b"!"
    process.send_signal(signal.Signals[name])
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert (tmp_path / "m0.py").read_text() == _NEW


def test_an_exception_that_python_drops_ends_it_all_the_same(tmp_path: Path) -> None:
    process = _start(
        tmp_path,
        "rules",
        before="""\
import dlint.cli.commands.rules
class Deaf:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):
            pass
def drop():
    Deaf()
    os.write(1, b"went on")
    return {}
dlint.cli.commands.rules.all_rules = drop
""",
    )
    output, complaint = process.communicate(timeout=60)
    assert (process.returncode, output, complaint) == (-signal.SIGTERM, b"", b"")


def test_whole_without_a_command_changes_nothing(tmp_path: Path) -> None:
    with ending.whole() as not_to_outlast:
        not_to_outlast(tmp_path / "nothing")
    assert ending.came() is None
