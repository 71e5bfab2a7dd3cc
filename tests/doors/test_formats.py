"""The formats for programs: each as its reader wants it, with findings and with what could not be checked."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from doors import CLEAN, HAZARD, dlint, write
from sarif_pydantic import Sarif

from dlint.finding import Edit, Finding, ReachStep, Remedy, Report, Trouble
from dlint.fingerprint import fingerprint, fingerprints
from dlint.reports.formats.by_name import FORMATS, JSON, Context
from dlint.reports.pages import Page, address

FINDING = Finding(
    code="DL101",
    name="cv2-threads-in-worker",
    message="cv2.resize() runs, 100% sure: it hangs; stop",
    path="utils/my io.py",
    line=2,
    column=8,
    end_line=2,
    end_column=23,
    reach=(ReachStep("Photos.__getitem__", "data.py", 7), ReachStep("cv2.resize", "utils/my io.py", 2)),
    remedy=Remedy("x", "safe", "turn it off", {}, (Edit("utils/my io.py", 1, 2, "import cv2\ncv2.off()\n"),)),
    effect="hang",
    condition="it is OpenMP",
    scope="Photos.load",
)
TROUBLE = Trouble("broken.py", "syntax error: invalid syntax", 3)
PAGES = {"DL101": Page("DL101", "cv2-threads-in-worker", "cv2 runs.", "cv2 runs.\n", (("warning", "hang"),))}
LINES = ["import cv2", "    a = cv2.resize(x)"]


def _shown(name: str, *findings: Finding, troubles: tuple[Trouble, ...] = (), top: Path | None = None) -> str:
    context = Context(lambda _: LINES, lambda: PAGES, "1.0", top=top)
    return "\n".join(FORMATS[name](Report(findings, troubles, 1), context))


def _result(shown: str) -> dict[str, Any]:
    (run,) = json.loads(shown)["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return dict(result)


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("findings", [(), (FINDING,), (FINDING, FINDING._replace(line=9))])
@pytest.mark.parametrize("troubles", [(), (TROUBLE,)])
def test_every_format_takes_every_report(
    name: str, findings: tuple[Finding, ...], troubles: tuple[Trouble, ...]
) -> None:
    shown = _shown(name, *findings, troubles=troubles)
    if name == "json-lines":
        assert len([json.loads(line) for line in shown.splitlines()]) == len(findings) + len(troubles)
    elif name in JSON:
        json.loads(shown)
    elif name == "junit":
        root = ElementTree.fromstring(shown)
        assert len(root.findall(".//failure")) == len(findings) == int(root.attrib["failures"])
        assert len(root.findall(".//error")) == len(troubles) == int(root.attrib["errors"])
        assert len(root.findall(".//testcase")) == int(root.attrib["tests"]) > 0
    if name == "sarif":
        Sarif.model_validate(json.loads(shown))


def test_json_has_troubles_with_the_keys_of_findings() -> None:
    finding, trouble = json.loads(_shown("json", FINDING, troubles=(TROUBLE,)))
    assert list(trouble) == list(finding)
    assert (trouble["code"], trouble["path"], trouble["line"]) == ("DL000", "broken.py", 3)
    assert finding["fix"]["edits"] == [FINDING.remedy.edits[0]._asdict()] if FINDING.remedy else False
    assert finding["url"] == address("DL101", "cv2-threads-in-worker")


def test_sarif_tells_rule_place_reach_fix_and_fingerprint() -> None:
    result = _result(_shown("sarif", FINDING))
    place = result["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "utils/my%20io.py"
    assert place["physicalLocation"]["region"] == {
        "startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 23,
    }  # fmt: skip
    assert place["logicalLocations"] == [{"fullyQualifiedName": "Photos.load"}]
    assert result["level"] == "warning"
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == ["Photos.__getitem__", "cv2.resize"]
    (replacement,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["insertedContent"]["text"] == "import cv2\ncv2.off()\n"
    assert replacement["deletedRegion"] == {"startLine": 1, "startColumn": 1, "endLine": 2, "endColumn": 1}
    assert result["partialFingerprints"] == {"dlint/1": fingerprint(FINDING, lambda _: LINES)}


def test_sarif_tells_what_could_not_be_checked() -> None:
    (invocation,) = json.loads(_shown("sarif", troubles=(TROUBLE,)))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    (said,) = invocation["toolExecutionNotifications"]
    assert said["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}


def test_paths_count_from_the_top_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    place = _result(_shown("sarif", FINDING, top=tmp_path))["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "sub/utils/my%20io.py"
    (gitlab,) = json.loads(_shown("gitlab", FINDING, top=tmp_path))
    assert gitlab["location"]["path"] == "sub/utils/my io.py"
    outside = FINDING._replace(path="../../elsewhere.py")
    assert json.loads(_shown("gitlab", outside, top=tmp_path))[0]["location"]["path"] == "../../elsewhere.py"


def test_github_annotations() -> None:
    several = FINDING._replace(end_line=4, effect="cost", path="a,b:c.py")
    first, second, third = _shown("github", FINDING, several, troubles=(TROUBLE,)).splitlines()
    file = os.path.abspath("utils/my io.py")  # noqa: PTH100
    assert first.startswith(
        f"::warning title=dlint (DL101 cv2-threads-in-worker),file={file},line=2,col=8,endLine=2,endColumn=23::"
    )
    assert first.endswith("utils/my io.py:2:8: DL101 cv2.resize() runs, 100%25 sure: it hangs; stop "
                          "[Photos.__getitem__ (data.py:7) > cv2.resize]")  # fmt: skip
    assert second.startswith("::notice ") and "a%2Cb%3Ac.py,line=2,endLine=4::" in second
    assert third.startswith("::error title=dlint,file=") and third.endswith(
        "line=3::broken.py:3: syntax error: invalid syntax"
    )


def test_a_name_forges_no_command() -> None:
    lines = _shown(
        "github", FINDING._replace(path="a\n::error::b.py", message="x\r\n::error::y")
    ).splitlines()
    assert len(lines) == 1


def test_gitlab_severities_and_fingerprints() -> None:
    error = FINDING._replace(condition=None)
    note = FINDING._replace(effect="cost", line=1)
    shown = json.loads(_shown("gitlab", FINDING, error, note, troubles=(TROUBLE,)))
    assert [each["severity"] for each in shown] == ["minor", "major", "info", "blocker"]
    assert len({each["fingerprint"] for each in shown}) == 4


def test_a_fingerprint_stays_where_lines_move_and_files_are_renamed() -> None:
    moved = FINDING._replace(path="other.py", line=3, message="other words")
    lines = {"utils/my io.py": LINES, "other.py": [LINES[0], "", "\ta  =  cv2.resize(x)"]}
    before, after = (fingerprint(each, lines.__getitem__) for each in (FINDING, moved))
    assert before == after
    for other in (
        FINDING._replace(code="DL102"),
        FINDING._replace(scope="Other.load"),
        FINDING._replace(line=1),
    ):
        assert fingerprint(other, lines.__getitem__) != before
    assert len(set(fingerprints([FINDING, moved], lines.__getitem__))) == 2


def test_markdown_takes_nothing_for_a_sign_of_its_own() -> None:
    shown = _shown("markdown", FINDING._replace(message="a | b <b>_c_</b>\nd"))
    assert r"a \| b \<b\>\_c\_\</b\>\\nd |" in shown


def test_grouped(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": HAZARD + HAZARD, "a.py": HAZARD})
    lines = dlint(tmp_path, "check", "--output-format", "grouped").stdout.splitlines()
    assert [line for line in lines if line.endswith(".py:")] == ["a.py:", "b.py:"]
    assert lines[1].startswith("  5:12  error    DL301 ")
    assert lines[5].startswith("  10:12  error    DL301 ")


def test_the_fix_of_a_finding_can_be_made_from_its_edits(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import torch\r\n" + HAZARD.replace("\n", "\r\n")})
    (finding,) = json.loads(dlint(tmp_path, "check", "--output-format", "json").stdout)
    lines = (tmp_path / "a.py").read_bytes().decode().splitlines(keepends=True)
    for edit in reversed(finding["fix"]["edits"]):
        lines[edit["line"] - 1 : edit["end_line"] - 1] = [edit["content"]]
    dlint(tmp_path, "fix", "--unsafe-fixes")
    assert (tmp_path / "a.py").read_bytes().decode() == "".join(lines)


def test_an_output_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD, "report.sarif": "what was there"})
    result = dlint(tmp_path, "check", "--output-format", "sarif", "--output-file", "report.sarif")
    assert result.returncode == 1
    assert result.stdout.startswith("1 finding (1 error) in 1 file.")
    assert _result((tmp_path / "report.sarif").read_text())["ruleId"] == "DL301"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] != ".") == ["a.py", "report.sarif"]
    assert not list(tmp_path.glob(".report*"))


def test_an_output_file_that_cannot_be_written(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    result = dlint(tmp_path, "check", "--output-format", "json", "--output-file", "none/report.json")
    assert result.returncode == 2
    assert result.stderr == "dlint: --output-file: none/report.json: No such file or directory\n"


def test_under_github_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": HAZARD})
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    first, summary = dlint(tmp_path, "check").stdout.splitlines()
    assert first.startswith("::error title=dlint (DL301 ") and summary.startswith("1 finding ")
    assert dlint(tmp_path, "check", "--output-format", "concise").stdout.startswith("a.py:5:12: DL301")


@pytest.mark.parametrize(
    ("variables", "options", "colour"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
    ],
)
def test_colour(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    options: list[str],
    colour: bool,
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    write(tmp_path, {"a.py": HAZARD})
    shown = dlint(tmp_path, "check", *options).stdout
    assert ("\x1b[" in shown) == colour
    assert (f"\x1b]8;;{address('DL301', 'sampler-with-shuffle')}\x1b\\" in shown) == colour


def test_the_code_is_cut_to_the_window() -> None:
    wide = ["x = [" + "1, " * 200 + "]"]
    context = Context(lambda _: wide, lambda: PAGES, "1.0", width=60)
    finding = FINDING._replace(line=1, end_line=1, column=306, end_column=307)
    lines = list(FORMATS["text"](Report((finding,), (), 1), context))
    assert all(len(line) <= 60 for line in lines[1:4])
    assert lines[2][lines[3].index("^") :].startswith("1, ")


def test_nothing_found_is_a_passed_case(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CLEAN})
    root = ElementTree.fromstring(dlint(tmp_path, "check", "--output-format", "junit").stdout)
    assert root.attrib["tests"] == "1" and root.attrib["failures"] == "0"


def test_a_repository_in_a_folder_above(tmp_path: Path) -> None:
    write(tmp_path, {"sub/a.py": HAZARD})
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    result = _result(dlint(tmp_path / "sub", "check", "--output-format", "sarif").stdout)
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sub/a.py"
