"""What docs/evidence.md tells of each rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_CELL_END = re.compile(r"(?<!\\)\|")
_UNPROVED = re.compile(r"- (DL\d{3}) [\w-]+: (.+)")


class Claim(NamedTuple):
    """A row of the table; the cells are Markdown, as they stand there."""

    code: str
    name: str
    claim: str
    level: str
    method: str
    did: str
    where: str
    remedied: str


class Evidence(NamedTuple):
    """With what it was measured, what was, and why some rules have nothing."""

    measured_with: str
    claims: tuple[Claim, ...]
    unproved: dict[str, str]

    def of(self, code: str) -> list[Claim]:
        """The claims of one rule."""
        return [claim for claim in self.claims if claim.code == code]


def read(text: str) -> Evidence:
    """The document as data."""
    lines = text.splitlines()
    measured = next(line for line in lines if line.startswith("Measured with "))
    return Evidence(measured, tuple(_claims(lines)), dict(_unproved(lines)))


def _claims(lines: list[str]) -> Iterator[Claim]:
    for line in lines:
        if line.startswith("| DL"):
            rule, *cells = (cell.strip() for cell in _CELL_END.split(line)[1:-1])
            code, _, name = rule.partition(" ")
            yield Claim(code, name, *cells)


def _unproved(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        found = _UNPROVED.fullmatch(line)
        if found:
            yield found[1], found[2]
