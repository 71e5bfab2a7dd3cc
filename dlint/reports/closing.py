"""The closing line: what was found in how much, and what was not looked at, so that it never flatters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dlint.finding import LEVELS, Finding


def summary(
    findings: Sequence[Finding],
    checked: int,
    failed: int = 0,
    *,
    excluded: bool = False,
    repairable: bool = True,
) -> str:
    """How much was found in how many files, and (``repairable``) how much of it can be repaired.

    ``failed`` is the number of paths that could not be checked; ``excluded``, whether something that the
    user named was left out.
    """
    if not checked and not findings:
        return nothing_checked(failed, excluded=excluded)
    where = f"{of(checked, 'file')}{not_checked(failed)}."
    if not findings:
        return f"No findings in {where}"
    return f"{by_level(findings)} in {where}{_repairable(findings) if repairable else ''}"


def _repairable(findings: Sequence[Finding]) -> str:
    """How many can be repaired, of those whose remedies were tried, and how many may be, of the others."""
    said = []
    for start, tried in (("Repairable", True), ("Perhaps repairable", False)):
        counts = Counter(
            each.remedy.applicability for each in findings if each.remedy and bool(each.remedy.edits) is tried
        )
        offers = []
        if counts["safe"]:
            offers.append(f"{counts['safe']} with `dlint fix`")
        if counts["unsafe"]:
            offers.append(f"{counts['unsafe']} with `dlint fix --unsafe-fixes`")
        said += [f" {start}: {', '.join(offers)}."] if offers else []
    return "".join(said)


def by_level(findings: Sequence[Finding]) -> str:
    """``3 findings (1 error, 2 notes)``: how many of each level there are."""
    counts = Counter(finding.level for finding in findings)
    parts = ", ".join(of(counts[level], level) for level in LEVELS if counts[level])
    return f"{of(len(findings), 'finding')} ({parts})"


def nothing_checked(failed: int, *, excluded: bool) -> str:
    """Why there is nothing to say of any file."""
    if failed:
        return f"No files were checked{not_checked(failed)}."
    if excluded:
        return "No files were checked: what was named is excluded."
    return "No files were checked: there is no Python file that is not ignored or excluded."


def not_checked(failed: int) -> str:
    """The end of a sentence that would read like success."""
    return f"; {of(failed, 'path')} could not be checked" if failed else ""


def of(count: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
