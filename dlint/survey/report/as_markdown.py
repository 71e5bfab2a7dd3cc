"""A survey's figures as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.survey.report.figures import Figures
from dlint.survey.report.tables import Table, tables


def as_markdown(figures: Figures) -> Iterator[str]:
    """The report, line by line."""
    yield "# dlint survey"
    for table in tables(figures):
        yield ""
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    yield f"## {table.title}"
    yield ""
    if table.words:
        yield table.words
        yield ""
    yield _row([_cell(head.removeprefix(">")) for head in table.heads])
    yield _row(["---:" if head.startswith(">") else "---" for head in table.heads])
    for row in table.rows:
        yield _row([_cell(each) for each in row])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """The text of a cell: what Markdown and HTML would read otherwise stands for itself."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(text.split()))
