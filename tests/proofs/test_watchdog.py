"""What the watchdog sees of small programs, and that nothing of them is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from pathlib import Path

import pytest

from dlint.proofs.proof import Proof
from dlint.proofs.run import Run
from dlint.running import processes
from dlint.running.runner import Result, Runner

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the watchdog needs Linux")

# A program that is hard to end: a child in a session of its own whose parent is gone, a child that
# ignores SIGTERM, a named semaphore, a temporary file; then it stands still.
STUBBORN = """
    import multiprocessing, os, signal, tempfile, time

    def ignore():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)

    if __name__ == "__main__":
        context = multiprocessing.get_context("spawn")
        lock = context.Lock()
        context.Process(target=ignore).start()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        os.wait()
        open(tempfile.mkstemp()[1], "w").write("left")
        print(lock._semlock.name, flush=True)
        time.sleep(600)
"""


def proof_of(folder: Path, program: str, **options: float) -> Proof:
    folder.mkdir(exist_ok=True)
    (folder / "bad.py").write_text(textwrap.dedent(program))
    return Proof("DL000", "trial", folder, "trial", "", "bad.py", "hang", **options)  # type: ignore[arg-type]


def run(folder: Path, program: str, **options: float) -> Result:
    proof = proof_of(folder, program, **options)
    with Runner(jobs=1) as runner:
        [(_, result)] = runner.run([Run(proof, "bad.py", "fork")])
    return result


def test_an_interrupt_while_a_result_lies_unread(mark: str, tmp_path: Path) -> None:
    runs = [Run(proof_of(tmp_path / name, "pass"), "bad.py", "fork") for name in ("one", "other")]
    with Runner(jobs=2) as runner:
        for each in runner.run(runs):
            first, _ = each
            break
        [watched] = runner._watched or [None]
        if watched is not None:  # the other one ends now, and nobody reads what it has told
            watched.watchdog.wait(timeout=60)
    assert first in runs
    assert_nothing_left(mark, tmp_path)


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A mark that all processes of a test carry, and a folder for all their temporary files."""
    value = uuid.uuid4().hex
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setenv("DLINT_TEST_MARK", value)
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", None)
    return value


def assert_nothing_left(mark: str, tmp_path: Path) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        left = [(pid, processes.command_line(pid)) for pid in processes.marked("DLINT_TEST_MARK", mark)]
        files = [str(path) for path in (tmp_path / "tmp").rglob("*")]
        if not left and not files:
            break
        time.sleep(0.1)
    assert (left, files) == ([], [])


def semaphore(name: str) -> Path:
    """The file of a semaphore that a program printed the name of."""
    return Path("/dev/shm") / f"sem.{name.strip().removeprefix('/')}"


def test_program_that_ends(tmp_path: Path) -> None:
    result = run(tmp_path / "p", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (result.end, result.status, result.stdout, result.stderr) == ("exit", 3, "out\n", "err\n")


def test_program_that_stands_still_is_shown_with_its_stacks(tmp_path: Path) -> None:
    program = """
        import threading

        def wait_for_ever():
            threading.Event().wait()

        wait_for_ever()
    """
    result = run(tmp_path / "p", program, still=1.5)
    assert result.end == "still"
    assert result.where is not None
    assert result.where.startswith("main: wait_for_ever (bad.py:5)")
    assert [process.role for process in result.stacks] == ["main"]


def test_program_that_goes_on_for_ever_meets_its_limit(tmp_path: Path) -> None:
    result = run(tmp_path / "p", "while True: pass", still=1.5, limit=2)
    assert result.end == "limit"
    assert result.where is not None


def test_program_that_waits_for_a_processor_most_of_the_time_is_starved(tmp_path: Path) -> None:
    # Twenty processes on one processor: each waits for it nearly all the time.
    program = """
        import os
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        for _ in range(20):
            if os.fork() == 0:
                break
        while True: pass
    """
    assert run(tmp_path / "p", program, still=300, limit=1).end == "starved"


def test_program_that_works_now_and_then_does_not_stand_still(tmp_path: Path) -> None:
    program = """
        import time
        for _ in range(6):
            time.sleep(0.5)
            print("still here", flush=True)
    """
    assert run(tmp_path / "p", program, still=1.5).end == "exit"


@pytest.mark.parametrize(
    ("choice", "method"), [("", "forkserver"), ("multiprocessing.set_start_method('spawn')", "spawn")]
)
def test_start_method_reaches_the_program_which_may_choose_another(
    choice: str, method: str, tmp_path: Path
) -> None:
    program = f"import multiprocessing\n{choice}\nprint(multiprocessing.get_context().get_start_method())"
    proof = proof_of(tmp_path / "p", program)
    with Runner(jobs=1) as runner:
        [(_, result)] = runner.run([Run(proof, "bad.py", "forkserver")])
    assert result.stdout.strip() == method, result.stderr


def test_users_tuning_does_not_reach_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    result = run(tmp_path / "p", "import os; print(os.environ.get('OMP_NUM_THREADS'))")
    assert result.stdout == "None\n"


def test_stubborn_program_is_ended_wholly(tmp_path: Path, mark: str) -> None:
    result = run(tmp_path / "p", STUBBORN, still=3)
    assert result.end == "still", result.stderr
    assert result.stdout.startswith("/mp-")
    assert_nothing_left(mark, tmp_path)
    assert not semaphore(result.stdout).exists()


def test_program_whose_children_outlive_it(tmp_path: Path, mark: str) -> None:
    program = """
        import os, time
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
    """
    assert run(tmp_path / "p", program).end == "exit"
    assert_nothing_left(mark, tmp_path)


RUNNER = """
    import signal
    import sys
    from pathlib import Path
    from dlint.proofs.proof import Proof
    from dlint.proofs.run import Run
    from dlint.running.runner import Runner

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    proof = Proof("DL000", "trial", Path(sys.argv[1]), "trial", "", "bad.py", "hang", still=300, limit=300)
    with Runner(jobs=2) as runner:
        for _ in runner.run([Run(proof, "bad.py", "fork"), Run(proof, "bad.py", "spawn")]):
            pass
"""


def start_runner(tmp_path: Path) -> tuple[subprocess.Popen[bytes], list[Path]]:
    """A runner in the middle of two stubborn programs, and these programs' semaphores."""
    proof_of(tmp_path / "p", STUBBORN)
    script = tmp_path / "runner.py"
    script.write_text(textwrap.dedent(RUNNER))
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    runner = subprocess.Popen(
        [sys.executable, script, tmp_path / "p"], env={**os.environ, "PYTHONPATH": path}
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and runner.poll() is None:
        outputs = [path.read_text() for path in (tmp_path / "tmp").glob("dlint-run-*/stdout")]
        if len(outputs) == 2 and all(output.endswith("\n") for output in outputs):
            return runner, [semaphore(output) for output in outputs]
        time.sleep(0.05)
    runner.kill()
    raise AssertionError("the programs did not start")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ended_runner_leaves_nothing(number: signal.Signals, tmp_path: Path, mark: str) -> None:
    runner, semaphores = start_runner(tmp_path)
    assert all(file.exists() for file in semaphores)
    runner.send_signal(number)
    assert runner.wait(timeout=40) != 0
    assert_nothing_left(mark, tmp_path)
    assert not any(file.exists() for file in semaphores)


def test_killed_watchdogs_are_cleaned_up_after(tmp_path: Path, mark: str) -> None:
    runner, semaphores = start_runner(tmp_path)
    for pid in processes.marked("DLINT_TEST_MARK", mark):
        if "dlint.running.watchdog" in processes.command_line(pid):
            os.kill(pid, signal.SIGKILL)
    assert runner.wait(timeout=40) == 0
    assert_nothing_left(mark, tmp_path)
    assert not any(file.exists() for file in semaphores)
