"""Commands that are no proofs, under the watchdog: nothing is copied, and none of them has faulthandler."""

from __future__ import annotations

import os
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dlint.running import processes
from dlint.running.runner import Result, Runner
from dlint.running.stacks import py_spy
from dlint.running.watchdog import MARK, Job

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the watchdog needs Linux")


@dataclass
class Command:
    """A Python program, given as text, to be run in a folder."""

    program: str
    cwd: str
    limit: float = 60.0
    still: float = 10.0
    alone: bool = False
    will_stand_still: bool = False
    jobs: list[Job] = field(default_factory=list)

    def job(self, folder: Path, token: str) -> Job:
        command = (sys.executable, "-c", textwrap.dedent(self.program))
        job = Job(str(folder), command, self.cwd, {**os.environ, MARK: token}, self.limit, self.still)
        self.jobs.append(job)
        return job


@pytest.fixture(autouse=True)
def scratch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder for all temporary files."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def run(*commands: Command, at_once: int = 1) -> list[Result]:
    """The results in the order of the commands, of which nothing is left."""
    with Runner[Command](at_once) as runner:
        results = {id(command): result for command, result in runner.run(commands)}
    for command in commands:
        [job] = command.jobs
        assert not Path(job.folder).exists()
        assert processes.marked(MARK, job.environment[MARK]) == []
    return [results[id(command)] for command in commands]


def test_command_runs_in_a_folder_of_its_own_or_in_one_that_stays(tmp_path: Path, scratch: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    program = "import os, tempfile; print(os.getcwd(), tempfile.mkstemp()[1]); open('made', 'w')"
    there, inside = run(Command(program, str(place)), Command(program, "tmp", alone=True), at_once=2)
    assert (there.end, there.status, inside.end, inside.status) == ("exit", 0, "exit", 0)
    cwd, temporary = there.stdout.split()
    assert cwd == str(place)
    assert Path(temporary).is_relative_to(scratch)
    assert inside.stdout.startswith(str(scratch))
    assert [path.name for path in place.iterdir()] == ["made"]
    assert list(scratch.iterdir()) == []


def test_command_that_stands_still_and_has_its_own_use_for_the_signal(tmp_path: Path) -> None:
    program = """
        import os, pathlib, signal, time
        signal.signal(signal.SIGUSR2, lambda number, frame: pathlib.Path("signalled").touch())
        if os.fork():
            print(os.getpid(), flush=True)
        while True:
            time.sleep(600)
    """
    [result] = run(Command(program, str(tmp_path), still=1.5, will_stand_still=True))
    assert (result.end, result.status) == ("still", None), result.stderr
    main, child = result.stacks
    assert (main.role, main.pid) == ("main", int(result.stdout))
    assert (child.role, child.parent) == ("worker", main.pid)
    assert main.parent not in (0, main.pid, os.getpid())  # its watchdog
    assert not (tmp_path / "signalled").exists()
    assert result.where is None or py_spy() is not None


def test_command_that_cannot_be_started_is_lost(tmp_path: Path) -> None:
    [result] = run(Command("pass", str(tmp_path / "nowhere")))
    assert result.end == "lost"
