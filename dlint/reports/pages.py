"""The rules as reports know them: their pages, and where those can be read."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from dlint.finding import Effect, Level

# Where the documents are published (mkdocs.yml has the same).
SITE = "https://torch-dlint.readthedocs.io/"


class Page(NamedTuple):
    """A rule's page: its first line, all of it in Markdown, and what its findings may be."""

    code: str
    name: str
    summary: str
    documentation: str
    levels: tuple[tuple[Level, Effect], ...]


def address(code: str, name: str) -> str:
    """Where a rule's page can be read."""
    return f"{SITE}rules/{quote(code)}-{quote(name, errors='backslashreplace')}/"
