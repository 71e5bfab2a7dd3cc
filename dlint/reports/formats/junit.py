"""JUnit's XML, which Jenkins, Azure and many more show as failed tests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.etree import ElementTree as Xml

from dlint.finding import Finding, Report, Trouble
from dlint.reports.formats.as_json import NOT_CHECKED
from dlint.reports.line import in_file, one_line, place, trouble_line
from dlint.reports.signs import visible


def junit(report: Report) -> Iterator[str]:
    """A suite for each file, a failed case for each finding in it, an error for what could not be checked."""
    counts = {"tests": len(report.findings) + len(report.troubles) or 1, "failures": len(report.findings)}
    counts["errors"] = len(report.troubles)
    suites = Xml.Element("testsuites", {"name": "dlint", **_texts(counts)})
    for path, group in groupby(report.findings, key=lambda finding: finding.path):
        here = list(group)
        suite = _suite(suites, path, len(here), 0)
        for finding in here:
            _failure(suite, finding)
    for path, troubles in groupby(report.troubles, key=lambda trouble: trouble.path):
        wrong = list(troubles)
        suite = _suite(suites, path, 0, len(wrong))
        for trouble in wrong:
            _error(suite, trouble)
    if not report.findings and not report.troubles:
        Xml.SubElement(_suite(suites, "dlint", 0, 0, 1), "testcase", name="no findings", classname="dlint")
    Xml.indent(suites)
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield Xml.tostring(suites, encoding="unicode")


def _suite(suites: Xml.Element, name: str, failures: int, errors: int, passed: int = 0) -> Xml.Element:
    counts = {"tests": failures + errors + passed, "failures": failures, "errors": errors}
    return Xml.SubElement(suites, "testsuite", {"name": visible(name), **_texts(counts)})


def _failure(suite: Xml.Element, finding: Finding) -> None:
    path = visible(finding.path)
    name = f"{finding.code} {finding.name} at {place(finding)[len(path) + 1 :]}"
    case = Xml.SubElement(
        suite, "testcase", name=name, classname=path, file=path, line=str(in_file(finding).line)
    )
    failure = Xml.SubElement(case, "failure", type=finding.level, message=visible(finding.message))
    failure.text = f"{place(finding)}: {one_line(finding)}"


def _error(suite: Xml.Element, trouble: Trouble) -> None:
    case = Xml.SubElement(suite, "testcase", name=NOT_CHECKED, classname=visible(trouble.path))
    error = Xml.SubElement(case, "error", type="not checked", message=visible(trouble.message))
    error.text = trouble_line(trouble)


def _texts(counts: dict[str, int]) -> dict[str, str]:
    return {name: str(count) for name, count in counts.items()}
