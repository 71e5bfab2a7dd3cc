"""How often each rule fired."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from dlint.finding import Finding


def statistics(findings: Iterable[Finding]) -> Iterator[str]:
    """``count  code  name``, the most frequent first."""
    counts = _counts(findings)
    width = max((len(str(count)) for _, count in counts), default=0)
    for (code, name), count in counts:
        yield f"{count:>{width}}  {code}  {name}"


def statistics_json(findings: Iterable[Finding]) -> Iterator[str]:
    """The same as a JSON array of objects with ``code``, ``name`` and ``count``."""
    rows = [{"code": code, "name": name, "count": count} for (code, name), count in _counts(findings)]
    yield json.dumps(rows, indent=2)


def _counts(findings: Iterable[Finding]) -> list[tuple[tuple[str, str], int]]:
    counts = Counter((finding.code, finding.name) for finding in findings)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
