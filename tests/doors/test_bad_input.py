"""Files that cannot be checked: each is named with what is wrong, and the others are checked."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from doors import HAZARD, dlint, flake8, run, write

from dlint.project import files
from dlint.source import reading

DEEP = "x = " + "-" * 10_000 + "1\n"

# name: (content, what dlint check says of bad.py, what flake8 says of it)
BAD: dict[str, tuple[bytes, str, str]] = {
    "syntax error": (b"x = 1\ndef f(:\n", "bad.py:2: syntax error: ", "bad.py:2:"),
    "python 2": (b'import os\nprint "hello"\n', "bad.py:2: Python 2 code", "bad.py:2:"),
    "python 2 except": (b"try:\n    f()\nexcept E, e:\n    pass\n", "bad.py:3: Python 2 code", "bad.py:3:"),
    "invalid utf-8": (b"a = 1\nb = 'caf\xe9'\n", "bad.py:2: not valid UTF-8: byte 0xe9", "bad.py:2:1: DL000"),
    "utf-16": (
        "a = 1\n".encode("utf-16"),
        "bad.py:1: not valid UTF-8: the file looks like UTF-16",
        "bad.py:",
    ),
    "wrong coding line": (
        b"# coding: utf-9\nx = '\xe9'\n",
        "bad.py:1: unknown encoding 'utf-9'",
        "bad.py:1:",
    ),
    "coding that is no text": (b"# coding: hex\nx = 1\n", "bad.py:1: unknown encoding 'hex'", "bad.py:"),
    "coding against mark": (
        b"\xef\xbb\xbf# coding: latin-1\nx = '\xc3\xa9'\n",
        "bad.py:1: the coding line says",
        "bad.py:",
    ),
    "nul bytes": (b"x = 1\ny = '\0'\n", "bad.py:2: contains NUL bytes", "bad.py:"),
    "deep parentheses": (
        b"(" * 10_000 + b")" * 10_000,
        "bad.py:1: syntax error: too many nested",
        "bad.py:1:",
    ),
}

# flake8 by itself ends in a traceback here, before it asks any plugin.
BEYOND_FLAKE8 = {"coding that is no text"}


@pytest.mark.parametrize("name", BAD)
def test_check_names_the_file_and_goes_on(tmp_path: Path, name: str) -> None:
    content, complaint, _ = BAD[name]
    write(tmp_path, {"bad.py": content, "good.py": HAZARD, "empty.py": ""})
    result = dlint(tmp_path, "check", "--output-format", "concise")
    assert result.stderr.startswith(f"dlint: {complaint}")
    assert result.stderr.count("\n") == 1
    assert result.stdout.startswith("good.py:5:12: DL301 ")
    assert result.returncode == 2


@pytest.mark.parametrize("name", sorted(BAD.keys() - BEYOND_FLAKE8))
def test_flake8_names_the_file_and_goes_on(tmp_path: Path, name: str) -> None:
    content, _, complaint = BAD[name]
    write(tmp_path, {"bad.py": content, "good.py": HAZARD, "empty.py": ""})
    result = flake8(tmp_path, "--select", "DL,E9,F")
    assert "Traceback" not in result.stderr
    lines = result.stdout.splitlines()
    assert any(line.startswith("./good.py:5:12: DL301 ") for line in lines)
    assert any(line.startswith(f"./{complaint}") for line in lines)


def test_deep_nesting_that_ends_in_the_parsers_recursion(tmp_path: Path) -> None:
    write(tmp_path, {"bad.py": DEEP, "chain.py": "x = a" + ".b" * 10_000 + "\n", "good.py": HAZARD})
    result = dlint(tmp_path, "check", "--output-format", "concise")
    assert "dlint: bad.py: nested too deeply to be parsed\n" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout.startswith("good.py:5:12: DL301 ")
    assert result.returncode == 2


def test_a_file_of_20_megabytes(tmp_path: Path) -> None:
    write(tmp_path, {"bad.py": b"# DataLoader cv2\n" + b"x = 1\n" * 3_500_000, "good.py": HAZARD})
    result = dlint(tmp_path, "check", "--output-format", "concise")
    assert result.stderr == "dlint: bad.py: too large to be checked: 21.0 MB, the limit is 10 MB\n"
    assert result.stdout.startswith("good.py:5:12: DL301 ")
    assert result.returncode == 2


def test_flake8_and_a_file_over_the_limit(tmp_path: Path) -> None:
    # 20 MB of short lines keep flake8 itself busy for minutes; one long comment is as large for us.
    write(tmp_path, {"bad.py": b"# DataLoader " + b"x" * 20_000_000 + b"\n", "good.py": HAZARD})
    result = flake8(tmp_path, "--select", "DL")
    assert "./bad.py:1:1: DL000 not checked: too large to be checked: 20.0 MB" in result.stdout
    assert "./good.py:5:12: DL301 " in result.stdout


def test_empty_files_are_fine(tmp_path: Path) -> None:
    write(tmp_path, {"empty.py": b"", "mark.py": b"\xef\xbb\xbf", "newline.py": b"\n", "comment.py": b"# x"})
    result = dlint(tmp_path, "check")
    assert (result.returncode, result.stderr) == (0, "")
    assert flake8(tmp_path, "--select", "DL,E9").stdout == ""


def test_loops_of_links(tmp_path: Path) -> None:
    write(tmp_path, {"pkg/good.py": HAZARD})
    (tmp_path / "pkg" / "again").symlink_to(tmp_path / "pkg", target_is_directory=True)
    (tmp_path / "pkg" / "self.py").symlink_to(tmp_path / "pkg" / "self.py")
    (tmp_path / "pkg" / "gone.py").symlink_to(tmp_path / "nothing.py")
    result = dlint(tmp_path, "check", "--output-format", "concise")
    assert result.stdout.count("\n") == 1
    assert "dlint: pkg/self.py: cannot be read: too many levels of symbolic links" in result.stderr
    assert "dlint: pkg/gone.py: cannot be read: the link points to nothing" in result.stderr
    assert result.returncode == 2
    shown = flake8(tmp_path, "--select", "DL,E9").stdout
    assert shown.count("DL301") == 1
    assert "./pkg/self.py:0:1: E902" in shown


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    write(tmp_path, {"good.py": HAZARD})
    result = dlint(tmp_path, "check", "nope.py", "good.py", "--output-format", "concise")
    assert result.stderr == "dlint: nope.py: no such file or folder\n"
    assert result.stdout.startswith("good.py:5:12: DL301 ")
    assert result.returncode == 2
    shown = flake8(tmp_path, "--select", "DL,E9", "nope.py", "good.py").stdout
    assert "nope.py:0:1: E902" in shown
    assert "good.py:5:12: DL301 " in shown


def test_a_path_that_the_system_refuses(tmp_path: Path) -> None:
    write(tmp_path, {"good.py": HAZARD})
    name = "x" * 300 + ".py"
    result = dlint(tmp_path, "check", name, "good.py", "--output-format", "concise")
    assert result.stderr == f"dlint: {name}: cannot be read: file name too long\n"
    assert result.stdout.startswith("good.py:5:12: DL301 ")
    assert result.returncode == 2
    assert dlint(tmp_path, "fix", "--check", name).stderr == result.stderr
    shown = flake8(tmp_path, "--select", "DL,E9", name, "good.py")
    assert f"{name}:0:1: E902" in shown.stdout
    assert "good.py:5:12: DL301 " in shown.stdout


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may look everywhere")
def test_a_path_in_a_folder_that_nobody_may_enter(tmp_path: Path) -> None:
    locked = write(tmp_path, {"locked/a.py": HAZARD, "good.py": HAZARD}) / "locked"
    locked.chmod(0)
    try:
        result = dlint(tmp_path, "check", "locked/a.py", "good.py", "--output-format", "concise")
    finally:
        locked.chmod(0o755)
    assert result.stderr == "dlint: locked/a.py: cannot be read: permission denied\n"
    assert result.stdout.startswith("good.py:5:12: DL301 ")
    assert result.returncode == 2


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, {"a.py": HAZARD}) / "a.py"
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # root may read everything

        def refuse(*_arguments: object, **_options: object) -> None:
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("os.open", refuse)
    else:
        path.chmod(0)
    with pytest.raises(reading.SourceError, match="cannot be read: permission denied"):
        reading.read_text(path)


def test_an_unreadable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"secret/a.py": HAZARD, "good.py": HAZARD})
    scan = os.scandir

    def refuse(folder: str) -> object:
        if str(folder).endswith("secret"):
            raise PermissionError(13, "Permission denied", folder)
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    found, troubles = files.expand([tmp_path])
    assert [path.name for path in found] == ["good.py"]
    assert [trouble.message for trouble in troubles] == ["cannot be read: permission denied"]
    assert files.python_files(tmp_path) == found


def test_names_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    try:
        write(tmp_path, {"caf\udce9.py": HAZARD})
    except (OSError, UnicodeError):
        pytest.skip("the file system takes only names in Unicode")
    result = dlint(tmp_path, "check", "--output-format", "concise")
    assert result.returncode == 1
    assert "DL301" in result.stdout


@pytest.mark.skipif(os.name == "nt", reason="Windows deletes no folder that somebody is in")
@pytest.mark.parametrize(
    "arguments", [("check",), ("check", str(Path(__file__).parent)), ("fix", "--diff"), ("prove", "DL301")]
)
def test_a_working_directory_that_was_deleted(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    start = ("sh", "-c", 'rmdir "$PWD" && exec "$0" -m dlint "$@"', sys.executable)
    result = run(gone, *arguments, start=start)
    assert result.stderr.splitlines()[-1:] == [
        "dlint: cannot tell the working directory: No such file or directory; was it deleted?"
    ]
    assert "Traceback" not in result.stderr
    assert (result.stdout, result.returncode) == ("", 2)
