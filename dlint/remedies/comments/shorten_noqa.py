"""Takes codes that silence nothing out of a ``# noqa`` comment; the comment goes where it has no others."""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.edits import Edits
from dlint.rewriting.source import Source
from dlint.source.noqa.noqa import INLINE, codes_of

_SEPARATORS = ", \t"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Take ``data["codes"]`` out of the comment that the finding points at."""
    comment = source.at(finding, cst.Comment)
    codes = finding.remedy.data["codes"] if finding.remedy else ()
    left = _without(comment.value, frozenset(codes))
    edits.drop_comment(comment)
    around = source.parent(comment)
    assert around is not None

    def shortened(node: cst.CSTNode) -> cst.CSTNode:
        if left:
            return node.with_changes(comment=comment.with_changes(value=left))
        return node.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))

    edits.change(around, shortened, key="noqa")


def _without(comment: str, gone: frozenset[str]) -> str:
    """The comment without the codes, empty where nothing else is in it; what else it says stays."""
    found = INLINE.search(comment)
    if found is None or not found["codes"]:
        return comment
    kept = [code for code in codes_of(found["codes"]) if code not in gone]
    end = found.start() + len(found.group().rstrip(_SEPARATORS))
    head, tail = comment[: found.start()], comment[end:]
    if kept:
        return f"{comment[: found.start('codes')]}{', '.join(kept)}{tail}"
    tail = tail.strip(_SEPARATORS)
    if tail and not tail.startswith("#"):
        tail = f"# {tail}"
    return f"{head}{tail}".rstrip()
