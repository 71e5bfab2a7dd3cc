"""The Python releases that a project's own declarations allow.

Each is written in one line of its own, and read from there: nothing has to be parsed for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dlint.project.releases.bounds import allowed, numbers, together
from dlint.project.releases.declarations import NOTHING, Declaration, Declared, Files, Found, placed
from dlint.project.releases.environments import dependencies
from dlint.regex import regex

_SECTION = regex(r"^\[+(?P<name>(?!\[)[^\]\n]*)\]+", re.MULTILINE)
_QUOTED = r"""["'](?P<bounds>[^"'\n]+)["']"""
_VERSION = rf"""(?:\{{[^\n]*\bversion\s*=\s*)?{_QUOTED}"""
# By file: the key in a section of its own. Without one (setup.py) it is found wherever it stands.
_KEYS = {
    "pyproject.toml": {
        "project": regex(rf"^requires-python\s*=\s*{_QUOTED}"),
        "tool.poetry.dependencies": regex(rf"^python\s*=\s*{_VERSION}"),
    },
    "setup.cfg": {"options": regex(r"^python[_-]requires\s*[=:]\s*(?P<bounds>[^#;\n]+)")},
    "setup.py": {"": regex(rf"(?:^|[\s(,])python_requires\s*=\s*{_QUOTED}")},
    "Pipfile": {"requires": regex(rf"^python_(?:full_)?version\s*=\s*{_QUOTED}")},
}
_CONDA = regex(r"python\s*(?P<bounds>[=<>~][^#]*)")


def declarations_of_python(root: Path) -> Declared:
    """The Pythons that the project at ``root`` says it runs on; None where it says nothing."""
    found = sorted(_all(Files(root, "python")), key=_reach)
    deciding = tuple(each for each in found if allowed(each.bounds).limited)
    if not deciding:
        return NOTHING
    return Declared(together([allowed(each.bounds) for each in deciding]), deciding)


def _all(files: Files) -> Iterator[Declaration]:
    for name, keys in _KEYS.items():
        file = files.root / name
        yield from placed(file, _by_key(files.text(file), keys))
    for file in files.named(files.root, "environment", ".yml", ".yaml"):
        yield from placed(file, _in_environment(files.text(file)))


def _by_key(text: str, keys: dict[str, re.Pattern[str]]) -> Found:
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if "" not in keys and (header := _SECTION.match(line)):
            section = header["name"].strip()
        elif section in keys and (key := keys[section].search(line)):
            yield key["bounds"], number


def _in_environment(text: str) -> Found:
    for spec, number in dependencies(text):
        if python := _CONDA.match(spec):
            yield python["bounds"], number


def _reach(declaration: Declaration) -> tuple[int, ...]:
    oldest = allowed(declaration.bounds).oldest
    return numbers(oldest) if oldest is not None else ()
