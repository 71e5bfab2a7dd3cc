"""What tells a finding from others when its file has been renamed and its lines have moved.

The rule, the classes and functions around the place, and its line of code with the spaces made even. Neither
the path nor a number is part of it, nor the message, which names other places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from dlint.finding import Finding

# Asked for by the path that reports show, or for a cell by `Finding.text`.
SourceLines = Callable[[str], Sequence[str]]
_LENGTH = 32  # hexadecimal digits


def fingerprint(finding: Finding, source: SourceLines) -> str:
    """The same for findings that differ in nothing but where they stand. ``source`` gives the lines of a
    file, none if it has gone."""
    lines = source(finding.text)
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    return _hashed(finding.code, finding.scope, " ".join(line.split()))


def fingerprints(findings: Iterable[Finding], source: SourceLines) -> Iterator[str]:
    """The fingerprint of each, and of those that are alike one each, in their order."""
    seen: Counter[str] = Counter()
    for finding in findings:
        mark = fingerprint(finding, source)
        seen[mark] += 1
        yield mark if seen[mark] == 1 else _hashed(mark, str(seen[mark]))


def _hashed(*parts: str) -> str:
    import hashlib  # which loads OpenSSL: only where findings are compared

    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
