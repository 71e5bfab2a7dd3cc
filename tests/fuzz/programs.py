"""The real programs that are mutated: what the fixtures of all rules hold, and the programs that people wrote
who had seen neither; read once."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "test_fixtures"
AFRESH = Path(__file__).parents[1] / "program" / "cases"


@cache
def originals() -> tuple[str, ...]:
    """The text of every file of every fixture that is not empty, in the order of their paths, and of every
    program that was written afresh."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.rglob("*.py"))]
    for path in sorted(AFRESH.glob("afresh*.txt")):
        texts += re.split(r"^(?:##|---).*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return tuple(text for text in texts if text.strip() and _parses(text))


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
