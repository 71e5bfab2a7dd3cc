"""Whole projects through `dlint fix --unsafe-fixes`, with what their maintainers would write by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.repair import repair
from dlint.settings.settings import Settings

_CASES = Path(__file__).with_name("as_maintained.txt")


def _cases() -> list[tuple[str, dict[str, str], dict[str, str]]]:
    """Title, files before and the files that change, of each case: ``=== title``, ``@@ path``, ``---``."""
    found = []
    for part in _CASES.read_text(encoding="utf-8").split("=== ")[1:]:
        title, _, rest = part.partition("\n")
        before, _, after = rest.partition("---\n")
        found.append((title, _files(before), _files(after)))
    return found


def _files(text: str) -> dict[str, str]:
    parts = (part.partition("\n") for part in text.split("@@ ")[1:])
    return {path: code for path, _, code in parts}


@pytest.mark.parametrize(
    ("title", "before", "after"), _cases(), ids=lambda each: each if isinstance(each, str) else ""
)
def test_as_maintained(title: str, before: dict[str, str], after: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    for path, code in before.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, encoding="utf-8")
    settings = Settings()
    repairs = repair([tmp_path], settings, unsafe=True)
    changed = {each.path.relative_to(tmp_path).as_posix(): each.new.decode() for each in repairs.files}
    assert changed == after
    for each in repairs.files:
        each.path.write_bytes(each.new)
    assert not repair([tmp_path], settings, unsafe=True).files
