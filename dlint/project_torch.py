"""The oldest torch release that a project's own declarations allow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

# What ``pip install torch`` gives today: the meaning of a declaration without a version.
CURRENT_TORCH = "2.13"

_PIP = re.compile(r"^torch(?:\[[^\]]*\])?\s*(?P<bounds>$|[;@(=<>!~,#\s].*)", re.IGNORECASE)
_CONDA = re.compile(r"^(?:[\w.-]+::)?pytorch(?:-gpu|-cpu)?\s*(?P<bounds>$|[=<>!~,#\s].*)", re.IGNORECASE)
_WHEEL = re.compile(r"(?:^|[/\s])torch-(?P<release>\d+(?:\.\d+)*)")
_BOUND = re.compile(r"(?P<operator>===|==|~=|>=|<=|!=|[=<>^~]|)\s*v?(?P<release>\d+(?:\.\d+)*)")
_UNKNOWN = ""


def declared_torch(root: Path) -> str | None:
    """The oldest torch release that the project at ``root`` allows, such as "1.8.1".

    Reads pyproject.toml, requirements files, setup.cfg, setup.py and conda's environment files. A
    declaration without a version allows what is current. None where nothing is declared, or where a
    declaration has no lower end (``torch<2``), which may mean any old release.
    """
    oldest = [_oldest(bounds) for bounds in _declarations(root)]
    if not oldest or _UNKNOWN in oldest:
        return None
    return min(oldest, key=_numbers)


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _oldest(bounds: str) -> str:
    """The oldest release within the bounds written behind the name, in pip's, poetry's or conda's way."""
    wheel = _WHEEL.search(bounds)
    if wheel:
        return wheel["release"]
    bounds = re.split(r"[;#]", bounds, maxsplit=1)[0].strip(" ()")
    if bounds.startswith("@"):  # an address that names no release
        return _UNKNOWN
    alternatives = [_oldest_of_all(each) for each in re.split(r"\|\|?", bounds)]
    return _UNKNOWN if _UNKNOWN in alternatives else min(alternatives, key=_numbers)


def _oldest_of_all(bounds: str) -> str:
    lower: list[str] = []
    upper = False
    for part in re.split(r",|\s+(?=[=<>!~^])", bounds):
        bound = _BOUND.match(part.strip())
        if bound is None:
            continue
        operator = bound["operator"]
        if operator in ("<", "<="):
            upper = True
        elif operator != "!=":
            lower.append(bound["release"])
    if lower:
        return max(lower, key=_numbers)
    return _UNKNOWN if upper else CURRENT_TORCH


def _declarations(root: Path) -> Iterator[str]:
    """What stands behind the name torch in each declaration."""
    yield from _in_pyproject(_text_on_torch(root / "pyproject.toml"))
    yield from _in_setup_cfg(_text_on_torch(root / "setup.cfg"))
    yield from _in_setup_py(_text_on_torch(root / "setup.py"))
    for file in _matching(root, "requirements*.txt", "requirements/*.txt"):
        for line in _text_on_torch(file).splitlines():
            yield from _in_requirement(line)
    for file in _matching(root, "environment*.yml", "environment*.yaml"):
        yield from _in_environment(_text_on_torch(file))


def _matching(root: Path, *patterns: str) -> list[Path]:
    try:
        return sorted(file for pattern in patterns for file in root.glob(pattern))
    except OSError:  # a folder that may not be looked into declares nothing
        return []


def _text_on_torch(file: Path) -> str:
    """The file's text, empty where it cannot be read or does not mention torch."""
    try:
        data = file.read_bytes()
    except OSError:
        return ""
    return data.decode("utf-8", "replace") if b"torch" in data.lower() else ""


def _in_requirement(line: str) -> Iterator[str]:
    """One line of pip's: a requirement, or the address of a wheel."""
    line = line.strip()
    requirement = _PIP.match(line)
    if requirement:
        yield requirement["bounds"]
    elif not line.startswith("#") and _WHEEL.search(line):
        yield line


def _in_pyproject(text: str) -> Iterator[str]:
    if not text:
        return
    from dlint.toml import TOMLDecodeError, loads

    try:
        document = loads(text)
    except TOMLDecodeError:
        return
    project = _table(document, "project")
    groups = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    groups += _table(document, "dependency-groups").values()
    for group in groups:
        for requirement in group if isinstance(group, list) else ():
            if isinstance(requirement, str):
                yield from _in_requirement(requirement)
    poetry = _table(_table(document, "tool"), "poetry")
    tables = [poetry, *(each for each in _table(poetry, "group").values() if isinstance(each, dict))]
    for table in tables:
        for key in ("dependencies", "dev-dependencies"):
            yield from _in_poetry(_table(table, key).get("torch"))


def _in_poetry(declared: Any) -> Iterator[str]:
    """Poetry's value: a version, a table with one, or a list of such tables."""
    if isinstance(declared, list):
        for each in declared:
            yield from _in_poetry(each)
    elif isinstance(declared, dict):
        yield from _in_poetry(declared.get("version", f"@ {declared.get('url', '')}"))
    elif isinstance(declared, str):
        yield declared


def _table(parent: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = parent.get(key)
    return value if isinstance(value, dict) else {}


def _in_setup_cfg(text: str) -> Iterator[str]:
    if not text:
        return
    from configparser import Error, RawConfigParser

    parser = RawConfigParser()
    try:
        parser.read_string(text)
    except Error:
        return
    values = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        values += [value for _, value in parser.items("options.extras_require")]
    for value in values:
        for line in value.splitlines():
            yield from _in_requirement(line)


def _in_setup_py(text: str) -> Iterator[str]:
    """Strings in install_requires and extras_require, written there or in a variable named there."""
    if not text:
        return
    from dlint.files import SourceError
    from dlint.parsing import parse

    try:
        tree = parse(text)
    except SourceError:
        return
    assigned = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.keyword) and node.arg in ("install_requires", "extras_require")):
            continue
        value = assigned.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
        for part in ast.walk(value) if value is not None else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield from _in_requirement(part.value)


def _in_environment(text: str) -> Iterator[str]:
    """Conda's environment file, read line by line: its dependencies are a list of plain strings."""
    section = ""
    for line in text.splitlines():
        section = line if line[:1].isalpha() else section
        item = re.match(r"\s*-\s*(?P<quote>['\"]?)(?P<spec>[^'\"]*)(?P=quote)", line)
        if item is None or not section.startswith("dependencies"):  # "pytorch" is a channel, too
            continue
        conda = _CONDA.match(item["spec"].strip())
        if conda:
            yield conda["bounds"]
        else:
            yield from _in_requirement(item["spec"])
