"""What reports make of findings."""

from __future__ import annotations

import json

import pytest

from dlint.finding import Edit, Effect, Finding, ReachStep, Remedy, Report, Span
from dlint.reports.closing import summary
from dlint.reports.formats.as_json import as_json
from dlint.reports.formats.concise import concise
from dlint.reports.formats.text import text
from dlint.reports.line import reach

_EDITS = (Edit("utils/io.py", 2, 3, ""),)
FINDING = Finding(
    code="DL101",
    name="cv2-threads-in-worker",
    message="cv2 runs in worker code.",
    path="utils/io.py",
    line=2,
    column=8,
    end_line=2,
    end_column=23,
    reach=(
        ReachStep("VOCDataset.__getitem__", "data/voc.py", 7),
        ReachStep("load_image", "data/helpers.py", 12),
        ReachStep("cv2.imread", "utils/io.py", 2),
    ),
    remedy=Remedy("cv2_threads_off", "safe", "turn cv2's threads off after `import cv2`", {}, _EDITS),
)


def _report(*findings: Finding) -> Report:
    return Report(findings, (), 1)


LINES = ["import cv2", "a = x; cv2.imread(path)"]


def test_the_reach_names_each_place_once() -> None:
    assert reach(FINDING) == (
        "VOCDataset.__getitem__ (data/voc.py:7) > load_image (data/helpers.py:12) > cv2.imread"
    )
    here = FINDING._replace(path="data/voc.py")
    assert reach(here).startswith("VOCDataset.__getitem__ > load_image (data/helpers.py:12)")
    assert reach(FINDING._replace(reach=())) == ""


def test_text() -> None:
    assert list(text([FINDING], lambda _: LINES)) == [
        "utils/io.py:2:8: error: DL101 cv2 runs in worker code.",
        "  |",
        "2 | a = x; cv2.imread(path)",
        "  |        ^^^^^^^^^^^^^^^",
        "  = reached: " + reach(FINDING),
        "  = fix: turn cv2's threads off after `import cv2` (dlint fix)",
        "",
    ]


def test_text_says_what_to_do_by_hand_or_with_care() -> None:
    by_hand = FINDING._replace(remedy=None, by_hand="open it in the worker")
    assert "  = by hand: open it in the worker" in list(text([by_hand], lambda _: LINES))
    unsafe = FINDING._replace(remedy=Remedy("x", "unsafe", "drop it", {}, _EDITS))
    assert "  = fix: drop it (dlint fix --unsafe-fixes)" in list(text([unsafe], lambda _: LINES))
    untried = FINDING._replace(remedy=Remedy("x", "unsafe", "drop it"))
    assert "  = fix: drop it (dlint fix --unsafe-fixes, where it fits)" in list(
        text([untried], lambda _: LINES)
    )


def test_text_without_the_file() -> None:
    assert len(list(text([FINDING], lambda _: []))) == 4


def test_text_in_colour() -> None:
    assert "\x1b[" in "".join(text([FINDING], lambda _: LINES, colour=True))
    assert "\x1b[" not in "".join(text([FINDING], lambda _: LINES))


@pytest.mark.parametrize(
    ("line", "column", "end_column", "carets"),
    [
        ("\tx = cv2.imread(p)", 6, 19, "        ^^^^^^^^^^^^^"),
        ("x(", 1, 3, "^^"),
        ("x", 1, 1, "^"),
        ("x", 5, 9, " ^"),
    ],
)
def test_the_underline(line: str, column: int, end_column: int, carets: str) -> None:
    finding = FINDING._replace(line=1, end_line=1, column=column, end_column=end_column)
    assert list(text([finding], lambda _: [line]))[3].rstrip() == f"  | {carets}".rstrip()


def test_what_the_finding_is_about_is_underlined() -> None:
    lines = ["", "f(a, b=1, c=2,", "  d=3)"]
    whole = FINDING._replace(line=2, column=1, end_line=3, end_column=7)
    marked = whole._replace(marked=(Span(2, 11, 2, 14), Span(2, 6, 2, 9), Span(3, 3, 3, 6)))
    assert list(text([marked], lambda _: lines))[1:4] == [
        "  |",
        "2 | f(a, b=1, c=2,",
        "  |      ^^^  ^^^",
    ]
    below = whole._replace(marked=(Span(3, 3, 3, 6),))
    shown = list(text([below], lambda _: lines))
    assert shown[0].startswith("utils/io.py:2:1: ")  # the place, and what comments count for, stays
    assert shown[2:4] == ["3 |   d=3)", "  |   ^^^"]


def test_a_finding_over_several_lines_is_underlined_to_the_end() -> None:
    finding = FINDING._replace(line=1, end_line=3, column=5, end_column=2)
    assert list(text([finding], lambda _: ["x = f(  ", "1", ")"]))[3] == "  |     ^^"


def test_a_very_long_line_is_cut_around_the_finding() -> None:
    line = "y = 1; " * 1000 + "cv2.imread(p)" + "; z = 2" * 1000
    finding = FINDING._replace(line=1, end_line=1, column=7001, end_column=7014)
    shown = list(text([finding], lambda _: [line]))
    start = shown[3].index("^")
    assert shown[2][start : start + 13] == "cv2.imread(p)"
    assert len(shown[2]) < 200


def test_concise() -> None:
    assert list(concise([FINDING])) == [
        f"utils/io.py:2:8: DL101 cv2 runs in worker code. [{reach(FINDING)}]"
    ]  # fmt: skip


def test_json() -> None:
    (shown,) = json.loads("\n".join(as_json(_report(FINDING))))
    assert shown["reach"][1] == {"name": "load_image", "path": "data/helpers.py", "cell": None, "line": 12}
    assert shown["fix"] == {
        "applicability": "safe",
        "summary": "turn cv2's threads off after `import cv2`",
        "edits": [_EDITS[0]._asdict()],
    }
    (shown,) = json.loads("\n".join(as_json(_report(FINDING._replace(remedy=None)))))
    assert shown["fix"] is None
    assert (shown["level"], shown["effect"], shown["condition"]) == ("error", "error", None)


@pytest.mark.parametrize(
    ("effect", "condition", "level"),
    [
        ("hang", None, "error"),
        ("silent", None, "error"),
        ("silent", "torch is older than 1.9", "warning"),
        ("cost", None, "note"),
        ("cost", "--workers is above 0", "note"),
    ],
)
def test_the_level_follows_from_effect_and_condition(
    effect: Effect, condition: str | None, level: str
) -> None:
    finding = FINDING._replace(effect=effect, condition=condition)
    assert finding.level == level
    assert next(text([finding], lambda _: LINES)).startswith(f"utils/io.py:2:8: {level}: DL101 ")


def test_what_the_message_says_is_not_said_again() -> None:
    by_hand = FINDING._replace(remedy=None, message="a; open it", by_hand="open it")
    assert not any("by hand" in line for line in text([by_hand], lambda _: LINES))


def test_the_summary_counts_remedies() -> None:
    unsafe = FINDING._replace(remedy=Remedy("x", "unsafe", "drop it", {}, _EDITS))
    by_hand = FINDING._replace(remedy=None)
    assert summary([], 1) == "No findings in 1 file."
    assert summary([by_hand], 3) == "1 finding (1 error) in 3 files."
    note, warning = FINDING._replace(effect="cost"), unsafe._replace(condition="torch is old")
    assert summary([note, warning, by_hand], 2) == (
        "3 findings (1 error, 1 warning, 1 note) in 2 files. Repairable: 1 with `dlint fix`, 1 with `dlint fix --unsafe-fixes`."
    )
    untried = FINDING._replace(remedy=Remedy("x", "safe", "drop it"))
    assert summary([untried, unsafe], 1) == (
        "2 findings (2 errors) in 1 file. Repairable: 1 with `dlint fix --unsafe-fixes`. Perhaps repairable: 1 with `dlint fix`."
    )
