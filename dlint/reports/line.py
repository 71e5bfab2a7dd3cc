"""A finding in one line: what every report for people has in common."""

from __future__ import annotations

import os
from pathlib import Path

from dlint.finding import Finding, ReachStep, Trouble
from dlint.reports.signs import visible


def one_line(finding: Finding) -> str:
    """Code, message and reach, without the place: what flake8 and editors show."""
    reached = reach(finding)
    return visible(f"{finding.code} {finding.message}") + (f" [{reached}]" if reached else "")


def place(finding: Finding) -> str:
    """``path:line:column``, which terminals and editors can follow; ``path:cell n:line:column``."""
    return visible(f"{finding.path}:{_line(finding.line, finding.cell)}:{finding.column}")


def in_file(finding: Finding) -> Finding:
    """The finding for services that know lines of files alone: of a notebook that is the first, which shows
    that it is no place."""
    if finding.cell is None:
        return finding
    reach = tuple(step if step.cell is None else step._replace(line=1) for step in finding.reach)
    return finding._replace(line=1, column=1, end_line=1, end_column=1, reach=reach)


def _line(line: int, cell: int | None) -> str:
    """``line``, or ``cell n:line``."""
    return f"{line}" if cell is None else f"cell {cell}:{line}"


def from_top(path: str, top: Path | None) -> str:
    """A path as it is from the top of the repository, where the file lies there; else as it was."""
    if top is None:
        return path
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - a link stays what it is
    return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else path


def trouble_line(trouble: Trouble) -> str:
    """``path:line: message``, or without the line where none is known."""
    line = "" if trouble.line is None else f":{_line(trouble.line, trouble.cell)}"
    return visible(f"{trouble.path}{line}: {trouble.message}")


def reach(finding: Finding) -> str:
    """``VOCDataset.__getitem__ > load_image (utils/io.py:12) > cv2.imread``; empty without a reach.

    The last step is the finding's own place, the first says its place only when it is in another file.
    """
    last = len(finding.reach) - 1
    return " > ".join(
        _step(step, with_place=0 < number < last or (number == 0 and step.path != finding.path))
        for number, step in enumerate(finding.reach)
    )


def _step(step: ReachStep, *, with_place: bool) -> str:
    return visible(f"{step.name} ({step.path}:{_line(step.line, step.cell)})" if with_place else step.name)
