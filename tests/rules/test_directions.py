"""Imports run one way: doors > repair > engine > rules > program > module; remedies and rewriting ask the
program, reports know findings only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "dlint"

# Who may not import what. A part is a package or module below dlint.
FORBIDDEN = {
    "module": ("program", "rules", "remedies", "rewriting", "reports", "engine", "proofs", "settings"),
    "knowledge": ("program", "module", "rules", "remedies", "rewriting", "reports", "engine", "proofs"),
    "program": ("rules", "remedies", "rewriting", "reports", "engine", "repair", "proofs", "settings"),
    "rules": ("remedies", "rewriting", "reports", "engine", "repair", "proofs", "settings"),
    "remedies": ("rules", "reports", "engine", "repair", "proofs"),
    "rewriting": ("rules", "remedies", "reports", "engine", "repair", "proofs"),
    "repair": ("program", "reports", "proofs", "cli"),
    "engine": ("remedies", "rewriting", "reports", "repair", "proofs"),
    "flake8_plugin": ("remedies", "rewriting", "repair", "proofs"),
    "reports": ("module", "knowledge", "program", "rules", "remedies", "rewriting", "engine", "proofs"),
}


def parts() -> Iterator[tuple[str, Path]]:
    """Every file of the package and the part that it belongs to."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).parts[0].removesuffix(".py"), path


def imported(path: Path) -> set[str]:
    """The parts of the package that a file imports at any place, for typing only left aside."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found |= {_part(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module == "dlint":
                found |= {alias.name for alias in node.names}
            found.add(_part(node.module or ""))
        waiting += ast.iter_child_nodes(node)
    return found - {""}


def _part(name: str) -> str:
    words = name.split(".")
    return words[1] if words[0] == "dlint" and len(words) > 1 else ""


FILES = list(parts())
every_file = pytest.mark.parametrize(
    ("part", "path"), FILES, ids=[path.relative_to(PACKAGE).as_posix() for _, path in FILES]
)


@every_file
def test_imports_run_one_way(part: str, path: Path) -> None:
    assert not imported(path) & set(FORBIDDEN.get(part, ()))


@every_file
def test_nothing_imports_the_command(part: str, path: Path) -> None:
    if part not in ("cli", "__main__"):
        assert "cli" not in imported(path)


@every_file
def test_rules_import_no_rule(part: str, path: Path) -> None:
    """Rules share what stands in program and knowledge, not one another's code."""
    if part == "rules":
        assert "dlint.rules.dl" not in path.read_text(encoding="utf-8")
