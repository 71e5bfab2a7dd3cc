"""What a repair did, for people and for ``patch``."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.files import display_path
from dlint.reports.closing import not_checked, of
from dlint.reports.line import place
from dlint.reports.signs import visible

if TYPE_CHECKING:
    from dlint.repair import Left, Repaired


def lines(files: Sequence[Repaired], left: Sequence[Left], *, dry: bool, failed: int = 0) -> Iterator[str]:
    """A line for every finding repaired, one for every finding left with the reason, and the count.

    ``failed`` is the number of paths that could not be checked.
    """
    did = "would repair" if dry else "repaired"
    for file in files:
        for finding in file.findings:
            what = finding.remedy.summary if finding.remedy else finding.name
            line = f"{display_path(file.path)}:{finding.line}: {did} {finding.code} {finding.name}: {what}"
            yield visible(line)
    for each in left:
        finding = each.finding
        yield visible(f"{place(finding)}: {finding.code} left: {each.reason}")
    count = sum(len(file.findings) for file in files)
    done = f"{'Would repair' if dry else 'Repaired'} {of(count, 'finding')} in {of(len(files), 'file')}"
    yield (
        f"{done}, {len(left)} left{not_checked(failed)}."
        if count or left
        else f"Nothing to repair{not_checked(failed)}."
    )


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
