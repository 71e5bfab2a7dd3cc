"""What the rules are about: their families, by the beginning of the code."""

from __future__ import annotations

from collections.abc import Mapping

FAMILIES: Mapping[str, str] = {
    "DL0": "Comments for dlint",
    "DL1": "Threads and processes",
    "DL2": "Randomness",
    "DL3": "Arguments of DataLoader",
    "DL4": "Start methods",
    "DL5": "What workers return and hold",
}


def family_of(code: str) -> str:
    """The family of a rule."""
    return FAMILIES[code[:3]]
