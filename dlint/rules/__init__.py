"""The rules, one file each. The registry is the folder listing: a new file is a new rule."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from dlint.regex import regex

if TYPE_CHECKING:
    from dlint.rules.rule import Rule

_FILE = regex(r"dl(\d{3})_(\w+)")


@cache
def all_codes() -> tuple[str, ...]:
    """The code of every rule, in order; no rule is imported for it."""
    return tuple(code for code, _, _ in _files())


@cache
def all_names() -> dict[str, str]:
    """The name of every rule by code, in order of code; no rule is imported for it."""
    return {code: name for code, name, _ in _files()}


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in order of code."""
    return {code: _read(code, name, file) for code, name, file in _files()}


def once_per_file() -> frozenset[str]:
    """The codes of the rules that report once a file."""
    return frozenset(code for code, rule in all_rules().items() if rule.once_per_file or rule.together)


def _files() -> Iterator[tuple[str, str, str]]:
    """The code, the name and the module of every rule."""
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        match = _FILE.fullmatch(info.name)
        if match:
            yield f"DL{match[1]}", match[2].replace("_", "-"), info.name


def _read(code: str, name: str, file: str) -> Rule:
    from dlint.rules.rule import Rule

    module = importlib.import_module(f"{__name__}.{file}")
    return Rule(
        code=code,
        name=name,
        text=module.__doc__ or "",
        check=module.check,
        on_by_default=getattr(module, "ON_BY_DEFAULT", True),
        once_per_file=getattr(module, "ONCE_PER_FILE", False),
        together=getattr(module, "together", None),
    )
