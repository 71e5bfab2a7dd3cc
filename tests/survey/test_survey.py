"""A survey, end to end: what it keeps, what it survives, and how it goes on."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from dlint import __version__
from dlint.survey.limited import Limits, read_version
from dlint.survey.sources import Source, Version, sources
from dlint.survey.store import Plan, Store, StoreError
from tests.survey.conftest import Repository, git
from tests.survey.texts import RIGHT, WRONG

_MEASURED = ("seconds", "cpu_seconds", "peak_memory")
_PLENTY = Limits(300, 4_000_000_000)
_PATIENCE = 300  # seconds
_FILES = 400


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dlint", "survey", *arguments]


def _survey(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(*arguments),
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
    )


def _rows(out: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What a survey holds, but for what is measured, in an order of its own."""
    store = Store(out)
    versions = [
        {key: value for key, value in row.items() if key not in _MEASURED} for row in store.repositories()
    ]
    return sorted(versions, key=str), sorted(store.findings(), key=str)


def _slow(number: int) -> dict[str, str]:
    """A version that takes a good second to read: many files with a finding each."""
    return {f"part{index}.py": f"# {number}\n{WRONG}" for index in range(_FILES)}


def test_a_row_for_each_version_and_each_finding(repository: Repository, tmp_path: Path) -> None:
    bare = repository("it", {"train.py": RIGHT}, {"train.py": f"\n{WRONG}"}, {"train.py": f"{WRONG}(\n"})
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "train.py").write_text(WRONG)
    (tmp_path / "list.txt").write_text("# mine\nfolder\n\n./it\n")
    done = _survey(tmp_path, "list.txt", "it", "gone", "it@main", "it@nothing", "--out", "out", "-j", "1")
    assert (done.returncode, done.stderr) == (0, "")
    versions, findings = _rows(tmp_path / "out")
    head = git(bare, "rev-parse", "HEAD")
    assert {(row["repository"], row["version"]): row["outcome"] for row in versions} == {
        ("folder", None): "read",
        ("it", head): "read",
        ("gone", None): "not read",
        ("it@nothing", None): "not read",
    }
    broken = next(row for row in versions if row["repository"] == "it")
    assert [trouble["path"] for trouble in broken["troubles"]] == ["train.py"]
    assert broken["committed"].isoformat() == "2020-01-03T00:00:00+00:00"
    assert next(row for row in versions if row["repository"] == "folder")["lines"] == WRONG.count("\n")
    assert [(row["repository"], row["code"], row["path"], row["line"]) for row in findings] == [
        ("folder", "DL301", "train.py", 15)
    ]
    assert "4 versions of 4 repositories: 1 finding; 2 not read." in done.stdout


def test_through_git_as_in_a_checkout(repository: Repository, tmp_path: Path) -> None:
    bare = repository(
        "it", {"train.py": RIGHT, "pyproject.toml": "[tool.dlint]\nselect = ['DL301']\n"}, _slow(1)
    )
    git(tmp_path, "clone", "--quiet", str(bare), "checkout")
    assert _survey(tmp_path, "it", "--history", "2", "--out", "out", "-j", "2").returncode == 0
    command = [sys.executable, "-m", "dlint", "check", "--output-format", "concise"]
    done = subprocess.run(command, cwd=tmp_path / "checkout", capture_output=True, text=True)
    _, findings = _rows(tmp_path / "out")
    assert len(findings) == _FILES
    assert {f"{row['path']}:{row['line']}:{row['column']}" for row in findings} == {
        line.partition(": ")[0] for line in done.stdout.splitlines() if "DL301" in line
    }


def test_limits_and_deaths_are_rows(tmp_path: Path) -> None:
    for name, text in _slow(1).items():
        (tmp_path / name).write_text(text)
    version = Version(Source("it", str(tmp_path)))
    late = read_version(version, {}, Limits(0.05, 4_000_000_000))
    assert (late["outcome"], late["reason"]) == ("out of time", "more than 0.05 s")
    large = read_version(version, {}, Limits(300, 1_000_000))
    assert (large["outcome"], large["reason"]) == ("out of memory", "more than 1 MB")
    assert large["peak_memory"] > 1_000_000
    with _whenever(lambda process: _cwd(process) == tmp_path, lambda process: process.kill()):
        dead = read_version(version, {}, _PLENTY)
    assert (dead["outcome"], dead["reason"]) == ("died", "SIGKILL")
    whole = read_version(version, {}, _PLENTY)
    assert (whole["outcome"], whole["files"], len(whole["findings"])) == ("read", _FILES, _FILES)
    assert 10_000_000 < whole["peak_memory"] < 1_000_000_000


def test_a_wrong_setting_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.dlint]\nselect = 7\n")
    answer = read_version(Version(Source("it", str(tmp_path))), {}, _PLENTY)
    assert answer["outcome"] == "not read"
    assert "select" in answer["reason"]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    store = Store(tmp_path / "out")
    store.begin(Plan((), None, {}, _PLENTY, __version__))
    trouble = {"path": "\udcff.py", "message": "größe"}
    store.add([(Version(Source("\udce4", "/a")), {"outcome": "read", "troubles": [trouble]})])
    (row,) = store.repositories()
    assert row["repository"] == "\\udce4"
    assert row["troubles"] == [{"path": "\\udcff.py", "message": "größe"}]


def test_a_list_of_what_another_machine_has(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("/mirrors/a\n/mirrors/b@v1\n")
    found = sources([str(tmp_path / "list.txt")], are_here=False)
    assert [(each.name, each.path, each.revision) for each in found] == [
        ("/mirrors/a", "/mirrors/a", None),
        ("/mirrors/b", "/mirrors/b", "v1"),
    ]


@pytest.mark.parametrize("name", ["a@v1.2", "a@feature/x"])
def test_a_revision_stands_behind_the_path(name: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (source,) = sources([str(tmp_path / name)])
    assert (source.path, source.revision) == (str(tmp_path / "a"), name.partition("@")[2])
    (tmp_path / name).mkdir(parents=True)
    (source,) = sources([str(tmp_path / name)])
    assert (source.path, source.revision) == (str(tmp_path / name), None)


def test_a_killed_worker_and_a_killed_survey_change_no_row(repository: Repository, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        repository(name, *(_slow(number) for number in range(4)))
    given = ("one", "two", "three", "--history", "4", "-j", "2")
    assert _survey(tmp_path, *given, "--out", "undisturbed").returncode == 0
    undisturbed = _rows(tmp_path / "undisturbed")
    assert len(undisturbed[0]) == 12

    # A worker dies in the middle of its work: Dask starts another, and asks again.
    killed: list[int] = []

    def kill_worker(process: psutil.Process) -> None:
        if not killed:
            killed.append(process.ppid())
            psutil.Process(process.ppid()).kill()

    with _whenever(_is_reading, kill_worker):
        assert _survey(tmp_path, *given, "--out", "worker").returncode == 0
    assert killed
    assert _rows(tmp_path / "worker") == undisturbed

    # Everything dies; the parts that are whole stay, and a half one counts for nothing.
    with subprocess.Popen(
        _command(*given, "--out", "all"), cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        deadline = time.monotonic() + _PATIENCE
        while not any(map(_is_reading, psutil.Process(process.pid).children(recursive=True))):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    (tmp_path / "all" / "findings" / "part-000001.parquet").write_bytes(b"half")
    (tmp_path / "all" / "findings" / "part-000002.parquet.unfinished").write_bytes(b"")
    again = _survey(tmp_path, *given[:3], "--out", "all", "--resume")
    assert again.returncode == 2 and "leave them out" in again.stderr
    for _ in range(2):  # the second finds nothing left to do
        assert _survey(tmp_path, "--resume", "--out", "all", "-j", "2").returncode == 0
        assert _rows(tmp_path / "all") == undisturbed
    assert not any(map(_is_reading, psutil.process_iter()))


def test_an_interrupted_survey_keeps_what_it_has(repository: Repository, tmp_path: Path) -> None:
    repository("one", *(_slow(number) for number in range(8)))
    given = ("one", "--history", "8", "-j", "1")
    with subprocess.Popen(_command(*given, "--out", "out"), cwd=tmp_path, stderr=subprocess.PIPE) as process:
        seen: set[int] = set()
        deadline = time.monotonic() + _PATIENCE
        while len(seen) < 3:  # two versions have been read
            assert time.monotonic() < deadline and process.poll() is None
            below = psutil.Process(process.pid).children(recursive=True)
            seen |= {each.pid for each in below if _is_reading(each)}
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=_PATIENCE)
    assert process.returncode == -signal.SIGINT
    assert said.decode().splitlines() == ["dlint: interrupted"]
    assert 1 <= len(Store(tmp_path / "out").repositories()) < 8
    assert _survey(tmp_path, "--resume", "--out", "out", "-j", "2").returncode == 0
    assert len(Store(tmp_path / "out").repositories()) == 8


def test_what_kills_every_worker_is_a_row(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "deadly").mkdir()
    for name, text in _slow(1).items():
        (tmp_path / "deadly" / name).write_text(text)
    repository("harmless", {"train.py": WRONG})

    def kill_worker(process: psutil.Process) -> None:
        psutil.Process(process.ppid()).kill()

    with _whenever(lambda process: _cwd(process) == tmp_path / "deadly", kill_worker):
        done = _survey(tmp_path, "deadly", "harmless", "--out", "out", "-j", "1")
    assert (done.returncode, done.stderr) == (0, "")
    versions, findings = _rows(tmp_path / "out")
    assert {row["repository"]: row["outcome"] for row in versions} == {
        "deadly": "killed its worker",
        "harmless": "read",
    }
    assert [row["repository"] for row in findings] == ["harmless"]


def test_on_a_cluster_that_is_already_there(repository: Repository, tmp_path: Path) -> None:
    from distributed import LocalCluster

    repository("one", {"train.py": WRONG})
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as there:
        (tmp_path / "scheduler.json").write_text(json.dumps(there.scheduler.identity()))
        for out, scheduler in (("out", there.scheduler_address), ("again", "scheduler.json")):
            done = _survey(tmp_path, "one", "--out", out, "--scheduler", scheduler)
            assert (done.returncode, done.stderr) == (0, "")
            assert [row["code"] for row in _rows(tmp_path / out)[1]] == ["DL301"]
        assert len(there.scheduler.workers) == 1  # it goes on without us
    soon = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
    done = _survey(tmp_path, "one", "--out", "other", "--scheduler", "tcp://127.0.0.1:9", **soon)
    assert done.returncode == 2
    assert done.stderr.startswith("dlint: no scheduler answers at tcp://127.0.0.1:9")


def test_a_folder_that_is_not_a_survey_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    (tmp_path / "train.py").write_text("import torch\n")
    for arguments, said in (
        (("a", "--out", "out"), "is not empty"),
        (("--resume", "--out", "out"), "no survey was begun here"),
        (("--out", "out"), "no SOURCES are given"),
        (("a", "--out", "other", "--select", "DL9"), "no rule is called 'DL9'"),
        (("a", "--out", "other", "--memory", "much"), "is no size"),
        (("train.py", "--out", "other"), "train.py: lists no folder that there is"),
    ):
        done = _survey(tmp_path, *arguments)
        assert done.returncode == 2 and said in done.stderr, done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]
    assert not (tmp_path / "other").exists()


def test_another_cluster_of_this_machine_is_no_news(repository: Repository, tmp_path: Path) -> None:
    repository("one", {"train.py": WRONG})
    with socket.socket() as taken:
        with suppress(OSError):  # somebody has it already: as good
            taken.bind(("127.0.0.1", 8787))  # the port of a dashboard of Dask's
            taken.listen()
        done = _survey(tmp_path, "one", "--out", "out", "-j", "1")
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_of_the_working_directory_is_imported(tmp_path: Path) -> None:
    for name in ("random", "json", "dask", "tornado", "multiprocessing", "train"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n")
    done = _survey(tmp_path, ".", "--out", str(tmp_path / "out"), "-j", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert [row["outcome"] for row in Store(tmp_path / "out").repositories()] == ["read"]


def test_two_are_not_at_one_survey(tmp_path: Path) -> None:
    store = Store(tmp_path / "out")
    store.begin(Plan((), None, {}, _PLENTY, __version__))
    with store.alone():
        done = _survey(tmp_path, "--resume", "--out", "out")
        assert done.returncode == 2 and "another process is at this survey" in done.stderr
    assert _survey(tmp_path, "--resume", "--out", "out").returncode == 0


def test_a_survey_of_another_release_is_not_gone_on_with(tmp_path: Path) -> None:
    store = Store(tmp_path / "out")
    store.begin(Plan((), None, {}, _PLENTY, "0.0.1"))
    done = _survey(tmp_path, "--resume", "--out", "out")
    assert done.returncode == 2 and "0.0.1" in done.stderr
    (tmp_path / "out" / "survey.json").write_text("{")
    with pytest.raises(StoreError, match="cannot be read"):
        store.plan()


def _is_reading(process: psutil.Process) -> bool:
    """Whether it is a process that reads a version, and has begun to."""
    try:
        command = process.cmdline()
        return any("dlint.survey.child" in part for part in command) and process.cpu_times().user > 0.2
    except psutil.Error:
        return False


def _cwd(process: psutil.Process) -> Path | None:
    try:
        return Path(process.cwd()) if "dlint.survey.child" in " ".join(process.cmdline()) else None
    except psutil.Error:
        return None


@contextmanager
def _whenever(
    found: Callable[[psutil.Process], bool], do: Callable[[psutil.Process], None]
) -> Iterator[None]:
    """Does something to every process that is found below this one, meanwhile."""
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            for process in psutil.Process().children(recursive=True):
                try:
                    if found(process):
                        do(process)
                except psutil.Error:
                    continue
            time.sleep(0.002)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
