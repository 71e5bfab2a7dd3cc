"""Streams that are full, closed, or cannot carry every character: findings are not lost, exit codes stay right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from doors import HAZARD, REPOSITORY, run, write

from dlint.rules import all_rules

FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
SHELL = pytest.mark.skipif(os.name == "nt", reason="needs a shell that redirects streams")
FOUND = "a.py:5:12: DL301 "
NO_SPACE = "dlint: No space left on device\n"


def _shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    return run(folder, start=("sh", "-c", f'dlint() {{ "$0" -m dlint "$@"; }}; {line}', sys.executable))


@FULL
@pytest.mark.parametrize("stderr", ["2>/dev/full", "2>&-"])
@pytest.mark.parametrize(("paths", "code"), [("a.py", 1), (". nope", 2)])
def test_standard_error_that_takes_nothing_costs_no_finding(
    tmp_path: Path, stderr: str, paths: str, code: int
) -> None:
    write(tmp_path, {"a.py": HAZARD, "bad.py": "def ("})
    result = _shell(tmp_path, f"dlint check {paths} --output-format concise {stderr}")
    assert result.stdout.startswith(FOUND)
    assert (result.returncode, result.stderr) == (code, "")


@FULL
@pytest.mark.parametrize(
    ("line", "code", "complaint"),
    [
        ("dlint check >/dev/full", 2, NO_SPACE),
        ("dlint check >/dev/full 2>/dev/full", 2, ""),
        ("dlint fix --diff . 2>/dev/full >/dev/full", 2, ""),
        ("dlint fix --diff . 2>/dev/full >/dev/null", 1, ""),
        ("dlint rule nope >/dev/full", 2, "dlint: no rule is called 'nope'; `dlint rules` lists all\n"),
        ("dlint rule DL301 >/dev/full 2>&1", 2, ""),
        ("dlint check --nope 2>/dev/full", 2, ""),
        ("dlint --help >/dev/full", 2, NO_SPACE),
        ("dlint prove DL999 2>/dev/full", 2, ""),
    ],
)
def test_full_streams(tmp_path: Path, line: str, code: int, complaint: str) -> None:
    result = _shell(write(tmp_path, {"a.py": HAZARD}), line)
    assert (result.returncode, result.stderr) == (code, complaint)


@SHELL
def test_a_reader_of_standard_error_that_has_left(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD, "bad.py": "def ("})
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [sys.executable, "-m", "dlint", "check", "--output-format", "concise"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, stdout=subprocess.PIPE, stderr=writing,
    )  # fmt: skip
    os.close(writing)
    assert result.stdout.startswith(FOUND.encode())
    assert result.returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", "utf-16"])
def test_json_is_right_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    names = ["naïve.py", "日本.py", "😀.py"] + (
        [os.fsdecode(b"caf\xe9.py")] if sys.platform == "linux" else []
    )
    write(tmp_path, dict.fromkeys(names, HAZARD))
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONIOENCODING": encoding,
        "PYTHONUTF8": "0",
    }

    def printed(*arguments: str) -> str:
        command = [sys.executable, "-m", "dlint", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True).stdout.decode(
            encoding
        )

    assert {each["path"] for each in json.loads(printed("check", "--output-format", "json"))} == set(names)
    text = printed("check", "--output-format", "concise")
    assert text.count("DL301") == len(names)
    assert text.count("\n") == len(names)
    assert len(json.loads(printed("rules", "--output-format", "json"))) == len(all_rules())
    assert json.loads(printed("rule", "DL101", "--output-format", "json"))["code"] == "DL101"


def test_json_in_the_plainest_locale(tmp_path: Path) -> None:
    write(tmp_path, {"naïve.py": HAZARD})
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment |= {"LANG": "C", "LC_ALL": "C"}
    result = subprocess.run(
        [sys.executable, "-m", "dlint", "check", "--output-format", "json"],
        cwd=tmp_path, env=environment, capture_output=True,
    )  # fmt: skip
    (found,) = json.loads(result.stdout)
    assert os.fsencode(found["path"]).decode("utf-8", "replace").endswith(".py")
    assert result.returncode == 1
