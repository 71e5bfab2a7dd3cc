"""The real programs that are mutated: what the fixtures of all rules hold, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "test_fixtures"


@cache
def originals() -> tuple[str, ...]:
    """The text of every file of every fixture that is not empty, in the order of their paths."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(FOLDER.rglob("*.py")))
    return tuple(text for text in texts if text.strip())
