"""Regular expressions are compiled at their first use, so a faulty one would not be seen at import."""

from __future__ import annotations

import importlib
import pkgutil
import re

import dlint
from dlint.regex import _Regex, regex


def test_every_regular_expression_compiles() -> None:
    """Also those in tables of the modules."""
    seen = 0
    for info in pkgutil.walk_packages(dlint.__path__, "dlint."):
        if info.name.split(".")[1] in _TABLES:
            for value in vars(importlib.import_module(info.name)).values():
                for each in value if isinstance(value, tuple) else (value,):
                    if isinstance(each, _Regex):
                        re.compile(each.pattern, each._flags)
                        seen += 1
    assert seen > 200


_TABLES = {
    *("calls", "changes", "evaluation", "fork", "knowledge", "loaders", "objects", "program", "project"),
    *("randomness", "rules", "source", "streams", "values", "workers"),
}


def test_it_does_what_the_compiled_one_does() -> None:
    words = regex(r"(\w+)=(\d+)", re.MULTILINE)
    assert words.search("a b=1")
    assert words.fullmatch("b=1 ") is None
    assert words.sub(r"\2", "a=1 b=2") == "1 2"
    assert words.findall("a=1 b=2") == [("a", "1"), ("b", "2")]
    assert words.flags == re.compile(r"", re.MULTILINE).flags
    assert words.pattern == r"(\w+)=(\d+)"
