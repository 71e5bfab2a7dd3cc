"""The process that reads one version of one source: what it takes, and what it breaks, is its own.

It gets one line of JSON on standard input, and writes its answer to a file; it ends when standard input does,
so that it does not outlast who asked.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from dlint import __version__, engine
from dlint.finding import Finding, Report, Trouble
from dlint.fingerprint import fingerprints
from dlint.project.files import listing
from dlint.project.lines import source_lines
from dlint.running.git import GitError
from dlint.settings.settings import SettingsError, for_run
from dlint.source.reading import SourceError, read_bytes
from dlint.survey.laid_out import lay_out


def main() -> None:
    """Answer the one question."""
    questions = sys.stdin.buffer
    question = json.loads(questions.readline())
    threading.Thread(target=_end_with, args=(questions,), daemon=True).start()
    Path(question["answer"]).write_text(json.dumps(_answer(question)), encoding="utf-8")
    os._exit(0)  # taking apart what has been read takes as long as a small repository


def _end_with(questions: BinaryIO) -> None:
    questions.read()
    os._exit(1)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    started, used = time.perf_counter(), time.process_time()
    try:
        done = _read(question)
    except (GitError, SettingsError, OSError) as error:
        done = {"outcome": "not read", "reason": str(error)}
    return {
        **done,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - used,
        "peak_memory": peak_memory(),
        "dlint": __version__,
        "python": platform.python_version(),
    }


def _read(question: dict[str, Any]) -> dict[str, Any]:
    folder = Path(question["folder"])
    unwritten: list[Trouble] = []
    if question["commit"] is not None:
        unwritten = lay_out(Path(question["path"]), question["commit"], folder)
    os.chdir(folder)
    choices = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in question["choices"].items()
    }
    here = [Path()]
    settings = for_run(here, choices)
    report = engine.check(here, settings, jobs=1)
    files = list(listing(here, settings.left_out).asked)
    return {
        "outcome": "read",
        "files": report.checked,
        "lines": sum(map(_lines, files)),
        "findings": list(_findings(report)),
        "troubles": [
            {"path": trouble.path, "message": trouble.message} for trouble in (*unwritten, *report.troubles)
        ],
    }


def _lines(file: Path) -> int:
    try:
        return read_bytes(file).count(b"\n")
    except SourceError:
        return 0


def _findings(report: Report) -> Iterable[dict[str, Any]]:
    for finding, mark in zip(report.findings, fingerprints(report.findings, source_lines(None)), strict=True):
        yield _finding(finding, mark)


def _finding(finding: Finding, mark: str) -> dict[str, Any]:
    remedy = finding.remedy
    return {
        **{
            name: getattr(finding, name)
            for name in (
                *("code", "name", "level", "effect", "condition", "message"),
                *("path", "cell", "line", "column", "end_line", "end_column", "scope"),
            )
        },
        "reach": [step._asdict() for step in finding.reach],
        "fix": None if remedy is None else remedy.applicability,
        "fingerprint": mark,
    }


def peak_memory() -> int:
    """The most memory that this process has held, in bytes; 0 where the system does not tell."""
    try:
        # Other counts go on where the parent's stood.
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
        if found:
            return int(found.group(1)) * 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
