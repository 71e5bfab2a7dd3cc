"""What a survey comes to, and what two surveys differ in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dlint import __version__
from dlint.survey.limited import Limits
from dlint.survey.report.as_markdown import as_markdown
from dlint.survey.report.as_page import as_page
from dlint.survey.report.comparison import compare
from dlint.survey.report.figures import figures, quantile
from dlint.survey.report.names import short_names
from dlint.survey.sources import Source, Version
from dlint.survey.store import Plan, Store

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_2020, _2021, _2022 = 1577836800, 1609459200, 1640995200


def _finding(code: str = "DL101", path: str = "a.py", line: int = 1, **more: Any) -> dict[str, Any]:
    reach = [
        {"name": "Photos.__getitem__", "path": path, "line": 1},
        {"name": "cv2.imread", "path": path, "line": line},
    ]
    return {
        "code": code,
        "name": "a-name",
        "level": "warning",
        "effect": "hang",
        "condition": None,
        "message": "it hangs",
        "path": path,
        "line": line,
        "column": 1,
        "end_line": line,
        "end_column": 2,
        "scope": "",
        "reach": reach,
        "fix": "safe",
        "fingerprint": f"{code} {path}",
        "cell": None,
        **more,
    }


def _read(*findings: Mapping[str, Any], lines: int = 1000, seconds: float = 1.0) -> dict[str, Any]:
    return {
        "outcome": "read",
        "files": 1,
        "lines": lines,
        "seconds": seconds,
        "peak_memory": 50_000_000,
        "findings": list(findings),
        "troubles": [],
        "dlint": __version__,
    }


def _store(folder: Path, *done: tuple[str, str | None, int | None, Mapping[str, Any]]) -> Store:
    store = Store(folder)
    store.begin(Plan((), None, {}, Limits(1, 1), __version__))
    store.add([(Version(Source(name, name), commit, when), answer) for name, commit, when, answer in done])
    return store


def test_how_common_counts_by_the_newest_version(tmp_path: Path) -> None:
    found = figures(
        _store(
            tmp_path / "out",
            ("r/one", "a", _2020, _read(_finding(), _finding("DL202", level="error", effect="silent"))),
            ("r/one", "b", _2022, _read(_finding(line=7))),
            ("r/two", "c", _2021, _read()),
            ("r/three", None, None, _read(_finding(), _finding(path="b.py", level="note", fix=None))),
            ("r/four", "d", _2022, {"outcome": "out of time", "reason": "more than 9 s"}),
        )
    )
    assert (found.repositories, found.versions, found.read, found.touched) == (4, 5, 3, 2)
    assert (found.findings, found.different) == (3, 4)
    assert found.levels == {"error": 0, "warning": 2, "note": 1}
    assert found.effects == {"hang": 3}
    (rule,) = found.rules
    assert (rule.code, rule.repositories, rule.repairable) == ("DL101", {"r/one", "r/three"}, 2)
    (reach,) = found.reaches
    assert (reach.entry, reach.hazard, reach.findings, reach.repositories) == (
        "__getitem__",
        "cv2.imread",
        3,
        2,
    )
    assert [(year.year, year.versions, year.touched, year.density) for year in found.years] == [
        (2020, 1, 1, 20.0),
        (2021, 1, 0, 0.0),
        (2022, 1, 1, 10.0),
    ]
    assert found.not_read == [("four", "out of time", "more than 9 s")]
    text = "\n".join(as_markdown(found))
    assert "| DL101 | a-name | hang | 2 | 67 % | 0 | 2 | 1 | 2 |" in text
    assert "| four | out of time | more than 9 s |" in text


def test_a_survey_that_holds_nothing_has_a_report(tmp_path: Path) -> None:
    found = figures(_store(tmp_path / "out"))
    assert "| versions of them | 0 |" in "\n".join(as_markdown(found))
    assert "<td>versions of them</td>" in as_page(found)


def test_names_lose_what_all_have_in_common() -> None:
    assert short_names(["/m/a+b/repo", "/m/c+d/repo"]) == {"/m/a+b/repo": "a+b", "/m/c+d/repo": "c+d"}
    assert short_names(["/m/a", "/m/a/b", "/n/b"]) == {"/m/a": "m/a", "/m/a/b": "m/a/b", "/n/b": "n/b"}
    assert short_names(["x/repo"]) == {"x/repo": "x/repo"}
    assert short_names(["a", "a/a"]) == {"a": "a", "a/a": "a/a"}


def test_quantiles_are_of_the_numbers() -> None:
    numbers = [float(number) for number in range(1, 101)]
    assert [quantile(numbers, part) for part in (0, 0.5, 0.9, 0.99, 1)] == [1, 50, 90, 99, 100]
    assert quantile([], 0.5) == 0


def test_what_came_went_and_says_something_else(tmp_path: Path) -> None:
    old = _store(
        tmp_path / "old",
        ("one", "a", _2020, _read(_finding(), _finding(line=2), _finding(line=3), seconds=2.0)),
        ("gone", "b", _2020, _read()),
        ("broken", "c", _2020, _read(_finding())),
    )
    new = _store(
        tmp_path / "new",
        (
            "one",
            "a",
            _2020,
            _read(_finding(), _finding(line=3, level="error"), _finding(line=4), seconds=1.0),
        ),
        ("broken", "c", _2020, {"outcome": "died", "reason": "SIGSEGV"}),
    )
    found = compare(old, new)
    assert [change.old and change.old["line"] for change in found.went] == [2]
    assert [change.new and change.new["line"] for change in found.came] == [4]
    assert [
        (change.old and change.old["level"], change.new and change.new["level"]) for change in found.changed
    ] == [("warning", "error")]
    assert (found.same, found.both, found.seconds) == (1, 1, (2.0, 1.0))
    assert found.alone == [("broken", "c", "read", "died"), ("gone", "b", "read", None)]
    assert compare(old, old).is_alike
    for arguments, code in ((("old", "new"), 1), (("new", "new"), 0)):
        command = [sys.executable, "-m", "dlint", "survey", "report", "--compare", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        told = subprocess.run([*command, "--output-format", "json"], cwd=tmp_path, capture_output=True)
        assert len(json.loads(told.stdout)["came"]) == code


def test_the_page_needs_no_network_and_runs_nothing_of_a_survey(tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        pytest.skip("no chromium on this machine")
    from playwright.sync_api import sync_playwright

    evil = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 1'>"
    _store(
        tmp_path / "out",
        (f"r/{evil}", "a", _2020, _read(_finding(message=evil, name="x"), lines=10, seconds=0.1)),
        ("r/two", "b", _2021, _read(_finding(), lines=1000)),
        ("r/three", None, None, {"outcome": "not read", "reason": evil}),
    )
    command = [sys.executable, "-m", "dlint", "survey", "report", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "out/report.md\nout/report.html\n"), done.stderr
    asked: list[str] = []
    errors: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((tmp_path / "out" / "report.html").as_uri())
        page.wait_for_selector(".js-plotly-plot .main-svg", timeout=60_000)
        assert page.locator(".js-plotly-plot").count() == 3
        assert "cv2.imread" in page.inner_text("body")
        assert page.evaluate("window.evil") is None
        assert page.evaluate("document.querySelectorAll('img').length") == 0
        chromium.close()
    assert asked == [(tmp_path / "out" / "report.html").as_uri()]
    assert errors == []


def test_a_report_needs_a_survey(tmp_path: Path) -> None:
    for arguments, said in (
        (("report",), "give the folder of a survey, or --compare OLD NEW"),
        (("report", "."), "no survey was begun here"),
        (("report", "--compare", ".", "."), "no survey was begun here"),
    ):
        command = [sys.executable, "-m", "dlint", "survey", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2 and said in done.stderr, done.stderr
    store = _store(tmp_path / "out", ("one", "a", _2020, _read()))
    (store.folder / "repositories" / "part-000001.parquet").write_bytes(b"not Parquet")
    command = [sys.executable, "-m", "dlint", "survey", "report", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "part-000001.parquet: cannot be read" in done.stderr
