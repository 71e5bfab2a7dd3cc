"""What is no file, or has no end, is never waited for: one line says what it is."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from doors import HAZARD, REPOSITORY, write

from dlint.codemod import FixCommand
from dlint.project.files import expand
from dlint.source import reading

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

FOUND = "good.py:5:12: DL301 "


def check(folder: Path, *arguments: str, stdin: int | None = None) -> subprocess.CompletedProcess[str]:
    """`dlint check` in ``folder``, which must come to an end."""
    return subprocess.run(
        [sys.executable, "-m", "dlint", "check", "--output-format", "concise", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        timeout=60,
    )


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(path.parent)  # a socket's name may have a hundred characters
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20_000_000)


MAKERS = {
    pipe: "is a pipe, not a file",
    endless: "is a device, not a file",
    unix_socket: "is a socket, not a file",
    large: "too large",
}
ways = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)


@ways
def test_as_a_named_file(tmp_path: Path, make: object) -> None:
    assert callable(make)
    write(tmp_path, {"good.py": HAZARD, ".git/HEAD": ""})
    make(tmp_path / "bad.py")
    result = check(tmp_path, "bad.py", "good.py")
    assert result.stderr.startswith(f"dlint: bad.py: {MAKERS[make]}")
    assert result.stderr.count("\n") == 1
    assert result.stdout.startswith(FOUND)
    assert result.returncode == 2


@pytest.mark.parametrize("make", [pipe, endless, unix_socket], ids=lambda make: make.__name__)
def test_in_a_folder_it_is_no_source(tmp_path: Path, make: object) -> None:
    assert callable(make)
    write(tmp_path, {"good.py": HAZARD, ".git/HEAD": ""})
    make(tmp_path / "bad.py")
    result = check(tmp_path)
    assert (result.stderr, result.returncode) == ("", 1)


@ways
def test_as_the_configuration(tmp_path: Path, make: object) -> None:
    assert callable(make)
    write(tmp_path, {"good.py": HAZARD, ".git/HEAD": ""})
    make(tmp_path / "pyproject.toml")
    result = check(tmp_path)
    assert result.stderr.startswith(f"dlint: pyproject.toml: {MAKERS[make]}")
    assert (result.stderr.count("\n"), result.stdout, result.returncode) == (1, "", 2)


@ways
@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        (".gitignore", "what it ignores is not left out"),
        (".git/info/exclude", "what it ignores is not left out"),
        ("setup.cfg", "it may declare any torch release"),
        ("requirements.txt", "it may declare any torch release"),
        ("requirements/gpu.txt", "it may declare any torch release"),
        ("environment.yml", "it may declare any torch release"),
    ],
)
def test_as_a_file_that_declares(tmp_path: Path, make: object, name: str, meaning: str) -> None:
    assert callable(make)
    write(tmp_path, {"good.py": HAZARD, ".git/HEAD": ""})
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    make(tmp_path / name)
    result = check(tmp_path)
    assert result.stderr.startswith(f"dlint: {name}: {MAKERS[make]}")
    assert result.stderr.endswith(f"; {meaning}\n")
    assert result.stderr.count("\n") == 1
    assert result.stdout.startswith(FOUND)
    assert result.returncode == 2


def test_a_declared_release_is_unknown_where_a_file_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "torch>=2", ".git/HEAD": ""})
    pipe(tmp_path / "requirements-old.txt")
    assert check(tmp_path).stderr.startswith("dlint: requirements-old.txt: is a pipe")
    assert check(tmp_path, "--target-torch", "2.0").stderr == ""


def test_process_substitution(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    try:
        os.write(writer, HAZARD.encode())
        result = subprocess.run(
            [sys.executable, "-m", "dlint", "check", f"/dev/fd/{reader}"],
            cwd=write(tmp_path, {".git/HEAD": ""}),
            capture_output=True,
            text=True,
            pass_fds=[reader],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            timeout=60,
        )
    finally:
        os.close(reader)
        os.close(writer)
    assert result.stderr.endswith(
        f"/dev/fd/{reader}: is a pipe, not a file: use `-` to check standard input\n"
    )
    assert result.returncode == 2


def test_standard_input_without_an_end(tmp_path: Path) -> None:
    with Path("/dev/zero").open("rb") as zeros:
        result = check(tmp_path, "-", stdin=zeros.fileno())
    assert result.stderr == "dlint: stdin.py: too large to be checked: the limit is 10 MB\n"
    assert result.returncode == 2


def test_reading_takes_what_grows_and_what_seems_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x" * 100_000)
    assert reading.read_bytes(path) == b"x" * 100_000
    assert reading.read_bytes(path, 100_000) == b"x" * 100_000
    with pytest.raises(reading.SourceError, match=r"^too large: 0\.1 MB, the limit is"):
        reading.read_bytes(path, 99_999)
    if Path("/proc/self/status").is_file():  # regular, and of no size
        assert b"Pid" in reading.read_bytes(Path("/proc/self/status"))
        with pytest.raises(reading.SourceError, match=r"^too large: the limit is"):
            reading.read_bytes(Path("/proc/self/status"), 10)


def test_a_name_that_no_system_takes() -> None:
    with pytest.raises(reading.SourceError, match="cannot be read: embedded null"):
        reading.read_bytes(Path("a\0.py"))
    assert expand([Path("a\0.py")])[1]


@pytest.mark.parametrize("coding", ["punycode", "idna", "Punycode"])
def test_encodings_that_take_quadratic_time(coding: str) -> None:
    with pytest.raises(reading.SourceError, match="unknown encoding"):
        reading.decode(f"# coding: {coding}\n".encode() + b"a" * 1_000_000)


def test_a_folder_that_is_the_working_directory_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: str) -> object:
        raise PermissionError(13, "Permission denied", folder)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "scandir", refuse)
    (trouble,) = expand([Path()])[1]
    assert (trouble.path, trouble.message) == (str(tmp_path), "cannot be read: permission denied")


def test_the_codemod_skips_what_cannot_be_read(tmp_path: Path) -> None:
    import libcst as cst
    from libcst.codemod import CodemodContext, SkipFile

    pipe(tmp_path / "a.py")
    with pytest.raises(SkipFile, match="is a pipe, not a file"):
        FixCommand(CodemodContext(filename=str(tmp_path / "a.py"))).transform_module(cst.parse_module(HAZARD))
