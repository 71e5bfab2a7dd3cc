"""Whether a file of YAML has dlint run already."""

from __future__ import annotations

import re

from dlint.adoption.yaml_text import words

_DLINT = re.compile(r"(?<![\w-])(?:torch-dlint|dlint (?:check|fix))\b")


def runs_dlint(text: str) -> bool:
    """Whether anything but a comment names the distribution or calls the command. Raises CannotAdopt."""
    return any(_DLINT.search(word) for word in words(text))
