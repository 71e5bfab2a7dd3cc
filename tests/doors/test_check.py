"""``dlint check`` as users call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from doors import CLEAN, HAZARD, REPOSITORY, dlint, run, write

from dlint.rules import all_rules


def test_clean_code_exits_with_zero(tmp_path: Path) -> None:
    result = dlint(write(tmp_path, {"a.py": CLEAN, "b.py": ""}), "check")
    assert (result.returncode, result.stdout, result.stderr) == (0, "No findings in 2 files.\n", "")


def test_findings_exit_with_one_and_show_the_code(tmp_path: Path) -> None:
    result = dlint(write(tmp_path, {"pkg/a.py": HAZARD}), "check")
    assert result.returncode == 1
    assert result.stdout.startswith("pkg/a.py:5:12: error: DL301 ")
    assert "5 |     return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)" in result.stdout
    carets = [line for line in result.stdout.splitlines() if "^" in line]
    assert carets == [f"  |{' ' * 32}{'^' * 30}  {'^' * 12}"]  # the two arguments
    assert "1 finding (1 error) in 1 file." in result.stdout
    assert "\x1b[" not in result.stdout


def test_exit_zero(tmp_path: Path) -> None:
    assert dlint(write(tmp_path, {"a.py": HAZARD}), "check", "--exit-zero").returncode == 0


def test_json_has_the_promised_keys(tmp_path: Path) -> None:
    result = dlint(write(tmp_path, {"pkg/a.py": HAZARD}), "check", ".", "--output-format", "json")
    (finding,) = json.loads(result.stdout)
    assert list(finding) == [
        "code", "name", "message", "level", "effect", "condition", "path", "cell", "line", "column", "end_line", "end_column", "scope", "reach",
        "fix", "url",
    ]  # fmt: skip
    assert (finding["code"], finding["name"]) == ("DL301", "sampler-with-shuffle")
    assert (finding["path"], finding["line"], finding["column"]) == ("pkg/a.py", 5, 12)
    assert finding["fix"] is None or set(finding["fix"]) == {"applicability", "summary", "edits"}
    assert result.stderr == ""


def test_json_without_findings_is_an_empty_array(tmp_path: Path) -> None:
    assert json.loads(dlint(tmp_path, "check", "--output-format", "json").stdout) == []


def test_paths_are_relative_to_the_working_directory(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.py": HAZARD, "two/b.py": CLEAN})
    result = dlint(tmp_path / "two", "check", str(tmp_path), "--output-format", "concise")
    assert result.stdout.startswith("../one/a.py:5:12: DL301 ")


def test_concise_is_one_line_a_finding(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": HAZARD, "a.py": HAZARD})
    lines = dlint(tmp_path, "check", "--output-format", "concise").stdout.splitlines()
    assert [line.split(" ")[0:2] for line in lines] == [["a.py:5:12:", "DL301"], ["b.py:5:12:", "DL301"]]


@pytest.mark.parametrize("jobs", ["1", "2", "0"])
def test_processes_change_nothing(tmp_path: Path, jobs: str) -> None:
    write(tmp_path, {f"m{number}.py": HAZARD for number in range(30)} | {"bad.py": "def ("})
    result = dlint(tmp_path, "check", "--jobs", jobs, "--output-format", "concise")
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == sorted(
        f"m{number}.py" for number in range(30)
    )
    assert result.returncode == 2


def test_statistics(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD, "b.py": HAZARD})
    assert dlint(tmp_path, "check", "--statistics").stdout == "2  DL301  sampler-with-shuffle\n"
    counted = json.loads(dlint(tmp_path, "check", "--statistics", "--output-format", "json").stdout)
    assert counted == [{"code": "DL301", "name": "sampler-with-shuffle", "count": 2}]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--select", "DL3"], 1),
        (["--select", "DL1"], 0),
        (["--select", "DL1,DL301"], 1),
        (["--select", "DL1", "--extend-select", "DL301"], 1),
        (["--ignore", "DL301"], 0),
        (["--ignore", "DL", "--extend-select", "DL301"], 1),
        (["--exclude", "a.py"], 0),
        (["--exclude", "b.py"], 1),
    ],
)
def test_selection(tmp_path: Path, options: list[str], code: int) -> None:
    assert dlint(write(tmp_path, {"a.py": HAZARD}), "check", *options).returncode == code


@pytest.mark.skipif("DL305" not in all_rules(), reason="no rule is off by default yet")
def test_off_by_default_rules_run_when_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "from torch.utils.data import DataLoader\n\nDataLoader([1, 2])\n"})
    assert dlint(tmp_path, "check").returncode == 0
    assert dlint(tmp_path, "check", "--select", "DL").returncode == 0
    assert "DL305" in dlint(tmp_path, "check", "--extend-select", "DL305").stdout


def test_configuration_in_pyproject(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD, "pyproject.toml": '[tool.dlint]\nignore = ["DL301"]\n'})
    assert dlint(tmp_path, "check").returncode == 0
    write(tmp_path, {"pyproject.toml": "[tool.dlint]\nignored = []\n"})
    result = dlint(tmp_path, "check")
    assert result.returncode == 2
    assert (
        result.stderr == "dlint: pyproject.toml: [tool.dlint] has no key 'ignored'; did you mean 'ignore'?\n"
    )
    assert result.stdout == ""


def test_noqa(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD.replace("True)", "True)  # noqa: DL301")})
    assert dlint(tmp_path, "check").returncode == 0
    write(tmp_path, {"a.py": "# flake8: noqa\n" + HAZARD})
    assert dlint(tmp_path, "check").returncode == 0
    write(tmp_path, {"a.py": HAZARD.replace("True)", "True)  # noqa: E501")})
    assert dlint(tmp_path, "check").returncode == 1


def test_standard_input(tmp_path: Path) -> None:
    result = dlint(
        tmp_path, "check", "-", "--stdin-filename", "pkg/new.py", "--output-format", "concise",
        stdin=HAZARD.encode(),
    )  # fmt: skip
    assert result.returncode == 1
    assert result.stdout.startswith("pkg/new.py:5:12: DL301 ")


def test_standard_input_stands_for_the_file_of_that_name(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    result = dlint(tmp_path, "check", "-", "--stdin-filename", "a.py", stdin=CLEAN.encode())
    assert (result.returncode, result.stdout) == (0, "No findings in 1 file.\n")
    write(tmp_path, {"a.py": CLEAN})
    result = dlint(tmp_path, "check", "-", "--stdin-filename", "a.py", stdin=HAZARD.encode())
    assert "5 |     return DataLoader(" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "dlint: nope: no such file or folder\n"),
        (["", "a.py"], "dlint: a path is empty\n"),
        (["--exclude", "!"], "dlint: --exclude: '!' is no pattern of .gitignore\n"),
        (["--select", "DL399"], "dlint: --select: no rule is called 'DL399'; did you mean 'DL"),
        (["--target-torch", "new"], "dlint: --target-torch: must be a torch release"),
        (["--start-method", "thread"], "'thread' is not one of"),
        (["--level", "errors"], "'errors' is not one of"),
        (["--output-format", "xml"], "'xml' is not one of"),
        (["--frobnicate"], "No such option"),
        (["-", "a.py"], "dlint: '-' (standard input) cannot be combined with other paths"),
        (["a.py", "--stdin-filename", "b.py"], "dlint: --stdin-filename needs the path '-'"),
    ],
)
def test_what_cannot_be_done_exits_with_two(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = dlint(write(tmp_path, {"a.py": CLEAN}), "check", *arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_command_names_the_nearest(tmp_path: Path) -> None:
    result = dlint(tmp_path, "chek")
    assert result.returncode == 2
    assert "No such command 'chek'. Did you mean 'check'?" in result.stderr


def test_a_reader_that_leaves_early_sees_no_traceback(tmp_path: Path) -> None:
    write(tmp_path, {f"m{number}.py": HAZARD for number in range(400)})
    process = subprocess.Popen(
        [sys.executable, "-m", "dlint", "check", "--output-format", "text"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")]),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert complaint == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", ["check", "fix --check", "fix --diff", "rules", "rule DL101"])
def test_output_that_cannot_be_written(tmp_path: Path, command: str) -> None:
    write(tmp_path, {"a.py": HAZARD})
    result = run(tmp_path, command, start=("sh", "-c", '"$0" -m dlint $1 >/dev/full', sys.executable))
    assert (result.returncode, result.stderr.splitlines()[-1]) == (2, "dlint: No space left on device")


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
def test_streams_that_are_closed(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    for streams in (">&-", ">&- 2>&-", "<&- 2>&-"):
        result = run(tmp_path, start=("sh", "-c", f'"$0" -m dlint check {streams}', sys.executable))
        assert (result.returncode, result.stderr) == (1, "")


def test_ignore_files_are_respected(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", ".gitignore": "build/\n", "build/a.py": HAZARD, "src/b.py": HAZARD})
    result = dlint(tmp_path, "check", "--output-format", "concise")
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["src/b.py"]
    assert dlint(tmp_path, "check", "build").returncode == 1
    assert dlint(tmp_path, "check", "build/a.py").returncode == 1


def test_version(tmp_path: Path) -> None:
    result = dlint(tmp_path, "--version")
    assert result.returncode == 0
    assert result.stdout.startswith("dlint 0.")
