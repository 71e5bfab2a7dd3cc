"""The rules, one file each. The registry is the folder listing: a new file is a new rule."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from functools import cache

from dlint.rules.rule import Rule

_FILE = re.compile(r"dl(\d{3})_(\w+)")


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in order of code."""
    rules = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        match = _FILE.fullmatch(info.name)
        if match:
            rule = _read(f"DL{match[1]}", match[2].replace("_", "-"), info.name)
            rules[rule.code] = rule
    return rules


def _read(code: str, name: str, file: str) -> Rule:
    module = importlib.import_module(f"{__name__}.{file}")
    documentation = inspect.cleandoc(module.__doc__ or "")
    return Rule(
        code=code,
        name=name,
        summary=documentation.partition("\n")[0],
        documentation=documentation,
        check=module.check,
        on_by_default=getattr(module, "ON_BY_DEFAULT", True),
        once_per_file=getattr(module, "ONCE_PER_FILE", False),
    )
