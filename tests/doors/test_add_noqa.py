"""``--add-noqa`` silences what is shown, for dlint and for flake8."""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import HAZARD, dlint, flake8, write

LINE = "    return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)"
CASES = {
    "plain": (LINE, LINE + "  # noqa: DL301"),
    "list": (LINE + "  # noqa: E501 long", LINE + "  # noqa: E501, DL301 long"),
    "comment": (LINE + "  # why", LINE + "  # why  # noqa: DL301"),
    "backslash": (LINE + " \\\n        or None", LINE + " \\\n        or None  # noqa: DL301"),
    "string": (LINE + ', """\n"""', LINE + ', """\n"""  # noqa: DL301'),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("name", CASES)
def test_silences_for_both(tmp_path: Path, name: str, end: str) -> None:
    before, after = CASES[name]
    source = HAZARD.replace(LINE, before).replace("\n", end).encode()
    write(tmp_path, {"a.py": source})
    options = ["--select", "DL301"]
    result = dlint(tmp_path, "check", "--add-noqa", *options)
    assert (result.returncode, result.stdout) == (0, "Silenced 1 finding with # noqa in 1 file.\n")
    expected = HAZARD.replace(LINE, after).replace("\n", end).encode()
    assert (tmp_path / "a.py").read_bytes() == expected
    assert dlint(tmp_path, "check", *options).returncode == 0
    assert flake8(tmp_path, *options, "a.py").stdout == ""
    dlint(tmp_path, "check", "--add-noqa", *options)
    assert (tmp_path / "a.py").read_bytes() == expected


@pytest.mark.parametrize("comment", ["", "  # noqa: E501"])
def test_a_string_that_reads_like_a_comment_is_left(tmp_path: Path, comment: str) -> None:
    source = HAZARD.replace(LINE, LINE + ', "# noqa: E501"' + comment)
    write(tmp_path, {"a.py": source})
    result = dlint(tmp_path, "check", "--add-noqa")
    assert result.returncode == 2
    assert "a string there reads like one" in result.stderr
    assert (tmp_path / "a.py").read_text() == source


def test_a_link_out_of_the_tree_is_left(tmp_path: Path) -> None:
    write(tmp_path, {"out/a.py": HAZARD, "tree/pyproject.toml": ""})
    (tmp_path / "tree" / "b.py").symlink_to(tmp_path / "out" / "a.py")
    dlint(tmp_path / "tree", "check", "--add-noqa")
    assert (tmp_path / "out" / "a.py").read_text() == HAZARD
