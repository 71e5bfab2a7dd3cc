"""A ``# noqa`` that names a rule of dlint and silences nothing is told, where somebody asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import CLEAN, HAZARD, dlint, flake8, write

_LINE = "return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)"
_ASKED = ["--extend-select", "DL001"]


def _told(folder: Path, text: str, *options: str) -> list[str]:
    write(folder, {"a.py": text})
    result = dlint(folder, "check", "--output-format", "concise", *(options or _ASKED))
    assert result.stderr == ""
    return [line.partition(" ")[2] for line in result.stdout.splitlines() if " DL001 " in line]


def _said(what: str, code: str) -> list[str]:
    return [
        f"DL001 # noqa names {code}, {what}: the comment silences nothing; take {code} out of the comment"
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HAZARD.replace(_LINE, f"{_LINE}  # noqa: DL301"), []),
        (HAZARD.replace(_LINE, f"{_LINE}  # noqa: E501,DL3"), []),
        (HAZARD.replace(_LINE, f"{_LINE}  # noqa"), []),
        (HAZARD.replace(_LINE, f"{_LINE} \\\n        or None  # noqa: DL301"), []),
        (CLEAN + "x = 1  # noqa: DL301\n", _said("which is not found here", "DL301")),
        (CLEAN + "x = 1  # noqa: E501, DL999\n", _said("which no rule is called", "DL999")),
        (CLEAN + "x = 1  # noqa: DL301, DL101\n", _said("which are not found here", "DL301 and DL101")),
        (CLEAN + "x = 1  # noqa: E501\ny = '# noqa: DL301'\n", []),
        (CLEAN + "# flake8: noqa\nx = 1  # noqa: DL301\n", []),
        (CLEAN + "x = 1  # noqa: DL3\n", []),  # DL305 is off: nobody knows whether it would find something
        (CLEAN + "x = 1  # noqa: DL4\n", _said("which is not found here", "DL4")),
        (CLEAN + "x = 1  # noqa: DL000, DL001\n", []),
    ],
)  # fmt: skip
def test_a_comment_that_silences_nothing(tmp_path: Path, text: str, told: list[str]) -> None:
    assert _told(tmp_path, text) == told


def test_only_what_was_run_is_judged(tmp_path: Path) -> None:
    text = CLEAN + "x = 1  # noqa: DL301\n"
    assert _told(tmp_path, text, "--select", "DL4,DL001") == []
    assert _told(tmp_path, text, "--select", "DL3,DL001") != []
    assert _told(tmp_path, text, "--extend-select", "DL305") == []


def test_a_note_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CLEAN + "x = 'é'  # why # noqa: DL301  # more\n"})
    lines = dlint(tmp_path, "check", *_ASKED).stdout.splitlines()
    assert lines[0].startswith("a.py:6:16: note: DL001 ")
    assert lines[3].index("^") == lines[2].index("# noqa") and lines[3].count("^") == len("# noqa: DL301")


def test_a_file_without_data_loading(tmp_path: Path) -> None:
    assert _told(tmp_path, "x = 1  # noqa: DL402\n") == _said("which is not found here", "DL402")


def test_flake8_looks_for_comments_itself(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CLEAN + "x = 1  # noqa: DL301\n"})
    assert flake8(tmp_path, "--select", "DL001", ".").stdout == ""
