"""``dlint doctor`` as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlint.running import processes
from tests.doors.doors import dlint, write

from .test_dumps import _MAIN, _POOL, _worker

_WAITS = "import threading\nprint('begun', flush=True)\nthreading.Event().wait()\n"
_PATIENCE = 120.0


def _doctor(folder: Path, *arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dlint", "doctor", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
        **more,  # type: ignore[call-overload]
    )


def test_a_dump(tmp_path: Path) -> None:
    write(tmp_path, {"dump.txt": _MAIN + "\n" + _worker(_POOL)})
    result = dlint(tmp_path, "doctor", "--dump", "dump.txt")
    assert result.returncode == 1
    assert "DL102 pool-across-fork, surely: a forked worker waits for a pool's result" in result.stdout
    assert "at     shop/photos.py:25 in __getitem__ (process 21)" in result.stdout
    told = json.loads(dlint(tmp_path, "doctor", "--dump", "dump.txt", "--json").stdout)
    assert (told["state"], told["hangs"], told["causes"][0]["code"]) == ("seen", True, "DL102")
    given = dlint(tmp_path, "doctor", "--dump", "-", stdin=(tmp_path / "dump.txt").read_bytes())
    assert given.stdout == result.stdout


def test_the_finding_that_says_it_before_the_run(tmp_path: Path) -> None:
    photos = (
        "from multiprocessing.pool import ThreadPool\n\nfrom torch.utils.data import DataLoader, Dataset\n\n\n"
        "class Photos(Dataset):\n    def __init__(self):\n        self.pool = ThreadPool(2)\n\n"
        "    def __len__(self):\n        return 9\n\n    def __getitem__(self, index):\n"
        "        return self.pool.map(abs, [index])\n\n\n"
        "loader = DataLoader(Photos(), num_workers=2, multiprocessing_context='fork')\n"
    )
    dump = _worker(_POOL.replace("shop/photos.py:25", "photos.py:14"))
    write(tmp_path, {"photos.py": photos, "dump.txt": dump, ".git/HEAD": ""})
    result = dlint(tmp_path, "doctor", "--dump", "dump.txt")
    assert "check  photos.py:8:21: error: DL102 worker code uses a ThreadPool of the parent" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "one of these: a PID"),
        (("1", "--env"), "one of these: a PID"),
        (("--dump", "gone.txt"), "gone.txt: "),
        (("--dump", "empty.txt"), "no stack of py-spy"),
        (("--kill", "1"), "--kill goes with a command"),
        (("4000000",), "there is no process 4000000"),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    write(tmp_path, {"empty.txt": ""})
    result = dlint(tmp_path, "doctor", *arguments)
    assert (result.returncode, said in result.stderr) == (2, True)
    assert "Traceback" not in result.stderr


def test_a_command_that_gets_on_keeps_its_code_and_its_streams(tmp_path: Path) -> None:
    text = "import sys\nprint(sys.stdin.read(), sys.argv[1:])\nsys.exit(7)\n"
    write(tmp_path, {"run.py": text})
    result = _doctor(tmp_path, "--", sys.executable, "run.py", "--kill", "-x", input="given")
    assert (result.returncode, result.stdout, result.stderr) == (7, "given ['--kill', '-x']\n", "")


def test_a_command_that_a_signal_ends(tmp_path: Path) -> None:
    write(tmp_path, {"run.py": "import os\nos.kill(os.getpid(), 15)\n"})
    assert _doctor(tmp_path, "--", sys.executable, "run.py").returncode == 128 + signal.SIGTERM
    assert _doctor(tmp_path, "--", "no such program").returncode == 127


def test_a_command_that_stands_still_is_told_of_and_ended(tmp_path: Path) -> None:
    text = "import os\nif os.fork() == 0:\n    os.setsid()\n" + _WAITS
    write(tmp_path, {"run.py": text, ".git/HEAD": ""})
    result = _doctor(tmp_path, "--stall", "3", "--kill", "--", sys.executable, "run.py")
    assert result.returncode == 3
    assert "stands still: nothing moved in" in result.stderr
    assert "waits for a condition or an event" in result.stderr
    assert not [pid for pid in processes.descendants(1) if str(tmp_path) in processes.command_line(pid)]


def test_a_signal_goes_on_to_the_command(tmp_path: Path) -> None:
    write(tmp_path, {"run.py": _WAITS})
    command = [sys.executable, "-m", "dlint", "doctor", "--", sys.executable, "run.py"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == "begun\n"
        job.send_signal(signal.SIGTERM)
        assert job.wait(_PATIENCE) == 128 + signal.SIGTERM


def test_a_process_that_is_stopped_is_called_that_and_stays_it(tmp_path: Path) -> None:
    write(tmp_path, {"run.py": _WAITS, ".git/HEAD": ""})
    with subprocess.Popen([sys.executable, "run.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as job:
        try:
            assert job.stdout is not None
            assert job.stdout.readline() == "begun\n"
            os.kill(job.pid, signal.SIGSTOP)
            while processes.state(job.pid) != "T":
                time.sleep(0.05)
            result = dlint(tmp_path, "doctor", str(job.pid), "--seconds", "0.5")
            assert "is stopped by the system" in result.stdout
            assert processes.state(job.pid) == "T"
        finally:
            job.kill()


def test_another_program_and_one_that_ends(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "100"]) as other:
        result = dlint(tmp_path, "doctor", str(other.pid))
        other.kill()
    assert (result.returncode, "nor any below it runs Python" in result.stderr) == (2, True)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(2)"]) as short:
        result = dlint(tmp_path, "doctor", str(short.pid), "--seconds", "20")
    assert (result.returncode, "ended while it was watched" in result.stderr) == (2, True)


def test_a_program_below_a_shell(tmp_path: Path) -> None:
    write(tmp_path, {"run.py": _WAITS, ".git/HEAD": ""})
    command = ["sh", "-c", f"{sys.executable} run.py; true"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout is not None
        assert shell.stdout.readline() == "begun\n"
        result = dlint(tmp_path, "doctor", str(shell.pid), "--seconds", "1")
        assert result.returncode == 1
        assert "is another program" in result.stdout
        assert "waits for a condition or an event" in result.stdout
        for pid in processes.descendants(shell.pid):
            os.kill(pid, signal.SIGKILL)


def test_the_machine(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n", ".git/HEAD": ""})
    result = dlint(tmp_path, "doctor", "--env")
    assert result.returncode == 0
    for name in ("Python", "start method", "torch", "OpenCV", "processors", "/dev/shm", "open files"):
        assert f"\n  {name} " in f"\n{result.stdout}" or f"\n! {name} " in f"\n{result.stdout}", name
    assert "No findings in the project here." in result.stdout
    told = json.loads(dlint(tmp_path, "doctor", "--env", "--json").stdout)
    assert {fact["name"] for fact in told["facts"]} >= {"Python", "start method"}
