"""``dlint check --add-noqa``: a comment in the code for every finding that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dlint.cli import CLEAN, FAILED
from dlint.cli.output import complain_of, say
from dlint.finding import Finding, Report, Trouble
from dlint.in_cells import Notebooks
from dlint.project.paths import absolute
from dlint.reports.closing import of
from dlint.rewriting.cells import with_program
from dlint.rewriting.files import CannotWrite, obstacle, replace, true_roots
from dlint.rewriting.refusal import CannotRepair
from dlint.source.noqa.added_noqa import with_noqa
from dlint.source.noqa.noqa import unsuppressed
from dlint.source.notebooks import is_notebook, program_of
from dlint.source.reading import SourceError, decode, encoding_of, read_bytes


def add_noqa(report: Report, paths: Sequence[Path]) -> int:
    """Write the comments, say how many, and tell of the findings that are left."""
    roots = true_roots(absolute(path) for path in paths)
    by_path: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_path.setdefault(finding.path, []).append(finding)
    troubles = list(report.troubles)
    added = files = 0
    for shown, findings in by_path.items():
        path = absolute(shown)
        try:
            why = obstacle(path, roots)
            if why is not None:
                raise CannotWrite(why)
            left = _write(path, findings)
        except (CannotWrite, SourceError) as error:
            troubles.append(Trouble(shown, f"no # noqa added: {error}", None))
            continue
        troubles += [
            Trouble(
                shown, f"no # noqa added for {each.code}: a string there reads like one", each.line, each.cell
            )
            for each in left
        ]
        added += len(findings) - len(left)
        files += len(findings) > len(left)
    complain_of(tuple(troubles))
    say([f"Silenced {of(added, 'finding')} with # noqa in {of(files, 'file')}."])
    return FAILED if troubles else CLEAN


def _write(path: Path, findings: list[Finding]) -> tuple[Finding, ...]:
    """Replace the file by one with comments; the findings that these do not silence."""
    old = read_bytes(path)
    if is_notebook(path):
        return _write_cells(path, old, findings)
    text = decode(old)
    new = with_noqa(text, findings)
    data = new.encode(encoding_of(old))
    if decode(data) != new:
        raise CannotWrite("its encoding does not keep the text")
    if data != old:
        replace(path, old, data)
    return unsuppressed(new, findings)


def _write_cells(path: Path, old: bytes, findings: list[Finding]) -> tuple[Finding, ...]:
    """The same for a notebook."""
    notebooks = Notebooks({path: old})
    inside = [notebooks.in_program(finding) for finding in findings]
    new = with_noqa(program_of(path, old).decode(), inside)
    try:
        data = with_program(old, new)
    except CannotRepair as error:
        raise CannotWrite(str(error)) from error
    if data != old:
        replace(path, old, data)
    return tuple(map(notebooks.in_cells, unsuppressed(new, inside)))
