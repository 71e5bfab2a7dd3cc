"""Known findings: what is old is not told again, what is new is, however files and lines move."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from doors import CLEAN, HAZARD, dlint, flake8, write

_OTHER = HAZARD.replace("def make(dataset)", "def other(dataset)")
_LINE = "    return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)\n"
_FILE = "dlint-baseline.json"


def _known(folder: Path, files: dict[str, str | bytes]) -> Path:
    """A project whose findings of today are known."""
    write(folder, {"pyproject.toml": f'[tool.dlint]\nbaseline = "{_FILE}"\n', **files})
    result = dlint(folder, "baseline")
    assert result.returncode == 0, result.stderr
    return folder


def _shown(folder: Path, *arguments: str) -> list[str]:
    result = dlint(folder, "check", "--output-format", "concise", *arguments)
    assert result.stderr == ""
    return [line.partition(" ")[0].rstrip(":") for line in result.stdout.splitlines()]


def test_known_findings_are_not_shown_and_not_wrong(tmp_path: Path) -> None:
    _known(tmp_path, {"a.py": HAZARD})
    result = dlint(tmp_path, "check")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"No findings in 1 file.\n1 known finding not shown ({_FILE}).\n"


def test_the_same_in_flake8(tmp_path: Path) -> None:
    _known(tmp_path, {"a.py": HAZARD, "b.py": CLEAN})
    assert flake8(tmp_path, "--select", "DL", ".").stdout == ""
    write(tmp_path, {"b.py": _OTHER})
    assert flake8(tmp_path, "--select", "DL", ".").stdout.startswith("./b.py:5:12: DL301 ")
    assert (
        flake8(tmp_path, "--select", "DL", "--stdin-display-name", "a.py", "-", stdin=HAZARD.encode()).stdout
        == ""
    )
    (tmp_path / "pyproject.toml").unlink()
    assert "a.py:5:12: DL301" in flake8(tmp_path, "--select", "DL", ".").stdout
    found = flake8(tmp_path, "--select", "DL", "--dlint-baseline", _FILE, ".").stdout
    assert "b.py:5:12" in found and "a.py" not in found


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"a.py": "# moved\n\n" + HAZARD}, []),
        ({"a.py": CLEAN, "renamed.py": HAZARD}, []),
        ({"a.py": HAZARD.replace("shuffle=True", "shuffle=True, num_workers=2")}, []),
        ({"a.py": HAZARD + _OTHER.partition("\n\n\n")[2]}, ["a.py:7:12"]),
        ({"a.py": HAZARD + _LINE}, ["a.py:6:12"]),
        ({"b.py": HAZARD}, ["b.py:5:12"]),
    ],
    ids=["moved", "renamed", "edited", "another function", "the same line again", "a copy"],
)
def test_what_is_new(tmp_path: Path, changed: dict[str, str | bytes], shown: list[str]) -> None:
    write(_known(tmp_path, {"a.py": HAZARD}), changed)
    assert _shown(tmp_path) == shown


def test_a_file_that_was_moved_and_edited(tmp_path: Path) -> None:
    edited = HAZARD.replace("shuffle=True", "shuffle=True, num_workers=2")
    write(_known(tmp_path, {"lib/a.py": HAZARD}), {"lib/data/a.py": edited, "lib/data/b.py": edited})
    assert _shown(tmp_path) == ["lib/data/a.py:5:12", "lib/data/b.py:5:12"]
    (tmp_path / "lib" / "a.py").unlink()
    assert _shown(tmp_path) == ["lib/data/b.py:5:12"]


def test_a_file_that_was_not_looked_at_has_lost_nothing(tmp_path: Path) -> None:
    write(_known(tmp_path, {"a.py": HAZARD}), {"a.py": CLEAN, "b.py": HAZARD})
    assert _shown(tmp_path, "b.py") == ["b.py:5:12"]
    assert "gone" not in dlint(tmp_path, "check", "b.py").stdout


def test_what_is_gone_is_counted_and_forgotten(tmp_path: Path) -> None:
    write(_known(tmp_path, {"a.py": HAZARD, "b.py": _OTHER}), {"a.py": CLEAN})
    assert "1 known finding gone: `dlint baseline` forgets it." in dlint(tmp_path, "check").stdout
    assert dlint(tmp_path, "baseline").stdout == f"1 known finding in {_FILE}: 0 new, 1 gone.\n"
    write(tmp_path, {"a.py": HAZARD})
    assert _shown(tmp_path) == ["a.py:5:12"]


def test_only_the_files_that_are_named_are_brought_up_to_date(tmp_path: Path) -> None:
    write(_known(tmp_path, {"a.py": HAZARD, "b.py": CLEAN}), {"a.py": CLEAN, "b.py": HAZARD})
    dlint(tmp_path, "baseline", "b.py")
    entries = json.loads((tmp_path / _FILE).read_text())["findings"]
    assert [entry["path"] for entry in entries] == ["a.py", "b.py"]


def test_the_file_stays_where_nothing_changes(tmp_path: Path) -> None:
    _known(tmp_path, {"a.py": HAZARD, "b.py": HAZARD})
    before = (tmp_path / _FILE).stat()
    assert dlint(tmp_path, "baseline").stdout == f"2 known findings in {_FILE}: 0 new, 0 gone.\n"
    assert (tmp_path / _FILE).stat().st_mtime_ns == before.st_mtime_ns
    text = (tmp_path / _FILE).read_text()
    assert "5" not in [
        json.dumps(value) for entry in json.loads(text)["findings"] for value in entry.values()
    ]


def test_a_file_by_name_from_another_folder(tmp_path: Path) -> None:
    write(tmp_path, {"sub/a.py": HAZARD, "here/x.py": ""})
    told = dlint(tmp_path / "here", "baseline", "../sub", "--output-file", "known.json").stdout
    assert "`dlint check --baseline known.json`" in told
    assert _shown(tmp_path / "here", "../sub", "--baseline", "known.json") == []
    assert _shown(tmp_path, "sub", "--baseline", "here/known.json") == []


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b"[]", b"\xff", b'{"version": 2, "findings": []}', b'{"version": 1}', b"[" * 100_000,
        b'{"version": 1, "findings": [{"path": "a"}]}',
        b'{"version": 1, "findings": [{"path": "a", "code": "DL1", "scope": "", "fingerprint": "", "number": 0}]}',
    ],
)  # fmt: skip
def test_a_file_that_is_none(tmp_path: Path, content: bytes) -> None:
    write(_known(tmp_path, {"a.py": HAZARD}), {_FILE: content})
    for command in ("check", "baseline"):
        result = dlint(tmp_path, command)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr == f"dlint: {_FILE}: not a file that `dlint baseline` has written\n"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    result = dlint(tmp_path, "check", "--baseline", "none.json")
    assert result.returncode == 2
    assert result.stderr == "dlint: none.json: no such file or folder; `dlint baseline` writes it\n"
    assert "none.json" in flake8(tmp_path, "--select", "DL", "--dlint-baseline", "none.json", ".").stdout


@pytest.mark.parametrize("named", ["../out.json", "link.json", "../outside/x.json"])
def test_a_tree_says_nothing_of_what_is_written_outside(tmp_path: Path, named: str) -> None:
    write(tmp_path, {"outside/x.json": "precious", "tree/a.py": HAZARD})
    tree = tmp_path / "tree"
    (tree / "link.json").symlink_to(tmp_path / "outside" / "x.json")
    write(tree, {"pyproject.toml": f'[tool.dlint]\nbaseline = "{named}"\n'})
    for command in ("baseline", "check"):
        result = dlint(tree, command)
        assert result.returncode == 2
        assert "must be a file in the project" in result.stderr
    assert (tmp_path / "outside" / "x.json").read_text() == "precious"
    assert not (tmp_path / "out.json").exists()


def test_a_link_in_the_place_of_the_file_leads_nowhere(tmp_path: Path) -> None:
    write(tmp_path, {"x.json": "precious", "tree/a.py": HAZARD, "tree/pyproject.toml": ""})
    (tmp_path / "tree" / _FILE).symlink_to(tmp_path / "x.json")
    result = dlint(tmp_path / "tree", "baseline")
    assert result.returncode == 2 and "leads out of the project" in result.stderr
    assert (tmp_path / "x.json").read_text() == "precious"
