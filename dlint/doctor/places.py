"""Where static analysis sees what a job shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dlint.doctor import frames
from dlint.doctor.causes.cause import Cause
from dlint.finding import Finding
from dlint.project.files import project_root
from dlint.project.paths import absolute
from dlint.running.stacks import Frame

# The findings in the project at a folder.
Look = Callable[[Path], Sequence[Finding]]
# How near a finding is: at a line of the stack, reached by one, in one of its files, or only in the project.
_AT, _REACHED, _IN_FILE, _IN_PROJECT = range(4)


def finding_for(cause: Cause, look: Look) -> Finding | None:
    """The finding that says before the run what the cause shows in it; None where there is none."""
    folder = next((process.folder for process in cause.processes if process.folder), None)
    stack = [frame for frame in cause.stack if frames.is_own(frame)]
    places = {(_file(frame, folder), frame.line) for frame in stack}
    files = {file for file, _ in places if file.is_file()}
    if not files:
        return None
    best: tuple[int, Finding] | None = None
    for root in sorted({project_root(file) for file in files}):
        for finding in look(root):
            if finding.code != cause.code:
                continue
            rank = _rank(finding, places)
            if best is None or rank < best[0]:
                best = (rank, finding)
    return best[1] if best is not None else None


def _file(frame: Frame, folder: str | None) -> Path:
    return absolute(Path(folder or ".") / frame.file)


def _rank(finding: Finding, places: set[tuple[Path, int]]) -> int:
    path = absolute(finding.path)
    if any(file == path and finding.line <= line <= finding.end_line for file, line in places):
        return _AT
    if any((absolute(step.path), step.line) in places for step in finding.reach):
        return _REACHED
    return _IN_FILE if any(file == path for file, _ in places) else _IN_PROJECT
