"""``[tool.dlint]`` in a pyproject.toml, whose style stays."""

from __future__ import annotations

import re
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from dlint.adoption.refusal import CannotAdopt
from dlint.project.toml import TOMLError, loads

_KEYS = "https://github.com/torch-dlint/torch-dlint/blob/main/docs/configuration.md"
_BY_HAND = "is written in a way that dlint cannot add to: add [tool.dlint] by hand"


def with_table(text: str, baseline: str | None) -> str:
    """The text with the table, which names the file of known findings where there is one; the same text
    where it has all that. Raises CannotAdopt."""
    before = _read(text)
    tool = before.get("tool", {})
    table = tool.get("dlint") if isinstance(tool, dict) else None
    if table is not None and (baseline is None or not isinstance(table, dict) or "baseline" in table):
        return text
    try:
        new = _added(text, baseline, is_new=table is None)
        after = loads(new)
    except (TOMLKitError, ValueError, TypeError, RecursionError) as error:
        raise CannotAdopt(_BY_HAND) from error
    added = {**(table or {"level": "note"}), **({} if baseline is None else {"baseline": baseline})}
    if after != {**before, "tool": {**tool, "dlint": added}}:
        raise CannotAdopt(_BY_HAND)
    return new


def _added(text: str, baseline: str | None, *, is_new: bool) -> str:
    document: Any = tomlkit.parse(text)
    if is_new:
        document.setdefault("tool", tomlkit.table(is_super_table=True))["dlint"] = _table()
    if baseline is not None:
        document["tool"]["dlint"]["baseline"] = baseline
    new: str = document.as_string()
    if 0 < text.count("\n") == text.count("\r\n"):
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    return new


def _table() -> Any:
    table = tomlkit.table()
    table.add(tomlkit.comment(f"Every key: {_KEYS}"))
    table.add("level", "note")
    table["level"].comment("everything; warning: what goes wrong; error: as the project stands")
    return table


def _read(text: str) -> dict[str, Any]:
    try:
        return loads(text)
    except TOMLError as error:
        raise CannotAdopt(f"not valid TOML: {error}") from error
