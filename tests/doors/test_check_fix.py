"""``dlint check --fix`` repairs what it would have shown, and reports what is left."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from doors import CLEAN, HAZARD, dlint, write

REPAIRED = HAZARD.replace(", shuffle=True", "")
# What no remedy reaches: the argument is not written in the call.
BY_HAND = """\
from torch.utils.data import DataLoader, RandomSampler


def make(dataset, options):
    options = dict(shuffle=True, sampler=RandomSampler(dataset))
    return DataLoader(dataset, **options)
"""


def test_repairs_and_reports_what_is_left(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD, "b.py": BY_HAND, "c.py": CLEAN})
    result = dlint(tmp_path, "check", "--fix", "--output-format", "text")
    assert (tmp_path / "a.py").read_text() == REPAIRED
    assert (tmp_path / "b.py").read_text() == BY_HAND
    assert (result.returncode, result.stderr) == (1, "")
    first = next(line for line in result.stdout.splitlines() if " DL" in line)
    assert first.startswith("b.py:6:12: error: DL301")
    assert result.stdout.splitlines()[-2:] == [
        "1 finding (1 error) in 3 files.",
        "Repaired 1 finding in 1 file.",
    ]
    assert dlint(tmp_path, "check", "--fix", "a.py").stdout == "No findings in 1 file.\n"


def test_ends_with_0_where_nothing_is_left(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    result = dlint(tmp_path, "check", "--fix")
    assert (result.returncode, result.stdout) == (
        0,
        "No findings in 1 file.\nRepaired 1 finding in 1 file.\n",
    )


def test_formats_for_programs_have_the_report_alone(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD, "b.py": BY_HAND})
    result = dlint(tmp_path, "check", "--fix", "-v", "--output-format", "json")
    assert [finding["path"] for finding in json.loads(result.stdout)] == ["b.py"]
    assert "dlint: a.py:5: repaired DL301" in result.stderr


def test_known_findings_are_not_repaired(tmp_path: Path) -> None:
    write(tmp_path, {"old.py": HAZARD, "pyproject.toml": ""})
    assert dlint(tmp_path, "baseline").returncode == 0
    write(tmp_path, {"new.py": HAZARD.replace("make", "made")})
    result = dlint(tmp_path, "check", "--fix", "--baseline", "dlint-baseline.json")
    assert result.returncode == 0
    assert (tmp_path / "old.py").read_text() == HAZARD
    assert "shuffle" not in (tmp_path / "new.py").read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    (tmp_path / "a.py").chmod(0o444)
    tmp_path.chmod(0o555)
    result = dlint(tmp_path, "check", "--fix", "--no-cache")
    tmp_path.chmod(0o755)
    assert result.returncode == 2
    assert "a.py: not repaired" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--unsafe-fixes",), "--unsafe-fixes goes with --fix"),
        (("--fix", "-"), "--fix writes to files, and standard input (-) is none"),
        (("--fix", "--add-noqa"), "--fix and --add-noqa exclude each other"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    write(tmp_path, {"a.py": HAZARD})
    result = dlint(tmp_path, "check", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"dlint: {why}")
    assert (tmp_path / "a.py").read_text() == HAZARD


@pytest.mark.parametrize("option", ["-q", "-s", "-v"])
def test_how_much_is_said(tmp_path: Path, option: str) -> None:
    write(tmp_path, {"a.py": HAZARD, "b.py": "def ("})
    result = dlint(tmp_path, "check", option, "--output-format", "concise")
    usual = dlint(tmp_path, "check", "--output-format", "concise")
    assert result.returncode == usual.returncode == 2
    assert result.stdout == ("" if option == "-s" else usual.stdout)
    assert set(usual.stderr.splitlines()) <= set(result.stderr.splitlines())
    assert ("dlint: all of it: " in result.stderr) is (option == "-v")


def test_quiet_has_no_closing_line(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CLEAN})
    assert dlint(tmp_path, "check").stdout == "No findings in 1 file.\n"
    assert dlint(tmp_path, "check", "-q").stdout == ""
    assert dlint(tmp_path, "check", "-q", "-v").returncode == 2


def test_fix_says_as_much(tmp_path: Path) -> None:
    for option, said in (("-q", ""), ("-s", ""), ("-v", "Repaired 1 finding in 1 file, 0 left.")):
        write(tmp_path, {"a.py": HAZARD})
        result = dlint(tmp_path, "fix", option)
        assert (result.returncode, result.stdout.splitlines()[-1:]) == (0, [said] if said else [])
        assert (tmp_path / "a.py").read_text() == REPAIRED
