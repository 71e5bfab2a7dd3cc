"""What a repair did, for people and for ``patch``."""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.finding import Finding
from dlint.project.paths import display_path
from dlint.reports.closing import not_checked, of
from dlint.reports.line import place
from dlint.reports.signs import visible

if TYPE_CHECKING:
    from dlint.repair.results import Left, Repaired, Step

_MOST_PLACES = 4  # of findings that are gone with another one's repair
_BOLD, _RED, _GREEN, _CYAN, _RESET = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[0m"


def lines(
    steps: Sequence[Step], left: Sequence[Left], files: int, *, dry: bool, failed: int = 0
) -> Iterator[str]:
    """A line for every repair, one for every finding left with the reason, and the count.

    ``files`` is the number of files changed, ``failed`` that of the paths that could not be checked.
    """
    for step in steps:
        yield step_line(step, "would repair" if dry else "repaired")
    for each in left:
        where = place(each.first if dry else each.finding)
        yield visible(f"{where}: {each.finding.code} left: {each.reason}")
    count = sum(len(step.findings) for step in steps)
    done = f"{'Would repair' if dry else 'Repaired'} {of(count, 'finding')} in {of(files, 'file')}"
    yield (
        f"{done}, {len(left)} left{not_checked(failed)}."
        if count or left
        else f"Nothing to repair{not_checked(failed)}."
    )


def step_line(step: Step, did: str) -> str:
    """One repair in one line: what was done where, and what else is gone with it."""
    finding = step.finding
    what = step.did or (finding.remedy.summary if finding.remedy else finding.name)
    others = [name for path in step.files if (name := display_path(path)) != finding.path]
    where = f" (in {', '.join(others)})" if others else ""
    return visible(
        f"{finding.text}:{finding.line}: {did} {finding.code} {finding.name}: {what}{where}{_gone_with(step)}"
    )


def _gone_with(step: Step) -> str:
    if not step.also:
        return ""
    code = step.finding.code
    shown = [
        f"{each.text}:{each.line}" + ("" if each.code == code else f" {each.code}")
        for each in step.also[:_MOST_PLACES]
    ]
    more = len(step.also) - len(shown)
    rest = f" and {more} more" if more else ""
    return f"; gone with it: {', '.join(shown)}{rest}"


def by_rule(steps: Sequence[Step], left: Sequence[Left], *, dry: bool) -> Iterator[str]:
    """How many findings of each rule are repaired, and how many are left for which reason."""
    names = {each.code: each.name for each in _all(steps, left)}
    repaired = Counter(finding.code for step in steps for finding in step.findings)
    width = max(map(len, names.values()), default=0)
    for code, name in sorted(names.items()):
        reasons = Counter(each.reason for each in left if each.finding.code == code)
        parts = []
        if repaired[code]:
            parts.append(f"{'would repair' if dry else 'repaired'} {repaired[code]}")
        if reasons:
            parts.append(f"left {sum(reasons.values())}")
        yield visible(f"{code} {name:<{width}}  {', '.join(parts)}")
        for reason, count in reasons.most_common():
            yield visible(f"{' ' * 6}{count} because {reason}")


def _all(steps: Sequence[Step], left: Sequence[Left]) -> Iterator[Finding]:
    for step in steps:
        yield from step.findings
    for each in left:
        yield each.finding


def as_diff(file: Repaired) -> bytes:
    """The change of one file as a unified diff that ``patch`` takes, in the file's own bytes."""
    path = os.fsencode(display_path(file.path).lstrip("/"))
    parts = difflib.diff_bytes(
        difflib.unified_diff,
        _lines(file.old),
        _lines(file.new),
        _name(b"a/" + path),
        _name(b"b/" + path),
        lineterm=b"\n",
    )
    return b"".join(
        part if part.endswith(b"\n") else part + b"\n\\ No newline at end of file\n" for part in parts
    )


def painted(difference: str) -> str:
    """A diff with the colours that git gives it."""
    return "".join(map(_painted, difference.splitlines(keepends=True)))


def _painted(line: str) -> str:
    text = line.rstrip("\n")
    colour = next((colour for start, colour in _COLOURS if text.startswith(start)), None)
    return line if colour is None else f"{colour}{text}{_RESET}{line[len(text) :]}"


_COLOURS = (("+++ ", _BOLD), ("--- ", _BOLD), ("@@", _CYAN), ("+", _GREEN), ("-", _RED))


def _name(path: bytes) -> bytes:
    """The name as git writes it: quoted where it would break the line, with a tab behind spaces."""
    quoted, odd = re.subn(rb'[\x00-\x1f\x7f"\\]', lambda match: b"\\%03o" % ord(match[0]), path)
    if odd:
        return b'"' + quoted + b'"'
    return path + b"\t" if b" " in path else path


def _lines(data: bytes) -> list[bytes]:
    """Lines that end where ``patch`` thinks they do: at line feeds only."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
