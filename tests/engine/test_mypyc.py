"""mypyc takes every module that the wheel compiles: it writes their C, which needs no compiler and says at
once what the build of the wheel would say after an hour of tests."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import tomlkit

REPOSITORY = Path(__file__).parents[2]
_WRITE = """
import sys
from mypyc.build import mypycify
into, *modules = sys.argv[1:]
mypycify(["--strict", f"--cache-dir={into}/mypy", *modules], target_dir=into)
"""


def _compiled() -> list[str]:
    """The modules that pyproject.toml has compiled, relative to the repository."""
    settings = tomlkit.parse((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")).unwrap()
    hook = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    paths = [f"/{path.relative_to(REPOSITORY).as_posix()}" for path in (REPOSITORY / "dlint").rglob("*.py")]
    return sorted(
        path.removeprefix("/")
        for path in paths
        if any(path == each or (each.endswith("/") and path.startswith(each)) for each in hook["include"])
        and path not in hook["exclude"]
        and path.rpartition("/")[2] not in hook["exclude"]
    )


def test_mypyc_takes_every_module(tmp_path: Path) -> None:
    modules = _compiled()
    assert "dlint/calls/evaluator.py" in modules
    ended = subprocess.run(
        [sys.executable, "-c", _WRITE, str(tmp_path), *modules],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-3000:]
    assert any(tmp_path.glob("*.c"))


def _nodes() -> Iterator[tuple[str, ast.AST]]:
    """The nodes of all that is compiled, each with its module."""
    for module in _compiled():
        for node in ast.walk(ast.parse((REPOSITORY / module).read_text(encoding="utf-8"))):
            yield module, node


def test_no_field_of_a_compiled_record_is_an_object() -> None:
    """What mypyc compiles looks the names of annotations up as it starts, and does not find ``object``."""
    found = [
        f"{module}:{field.lineno}"
        for module, node in _nodes()
        if isinstance(node, ast.ClassDef)
        and any(
            kind in ast.unparse(each)
            for kind in ("dataclass", "NamedTuple")
            for each in (*node.decorator_list, *node.bases)
        )
        for field in node.body
        if isinstance(field, ast.AnnAssign) and ast.unparse(field.annotation) == "object"
    ]
    assert not found


def test_no_field_of_a_compiled_record_is_a_class_below_it() -> None:
    """What mypyc compiles looks the names of annotations up as it starts, and crashes where there is no such
    class yet."""
    found: list[str] = []
    for module in _compiled():
        tree = ast.parse((REPOSITORY / module).read_text(encoding="utf-8"))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        for at, record in enumerate(classes):
            if any("NamedTuple" in ast.unparse(base) for base in record.bases):
                later = {each.name for each in classes[at + 1 :]}
                fields = [each for each in record.body if isinstance(each, ast.AnnAssign)]
                found += [
                    f"{module}:{each.lineno}" for each in fields if ast.unparse(each.annotation) in later
                ]
    assert not found


def test_no_compiled_statement_names_a_part_as_the_whole() -> None:
    """mypyc makes one variable of both: ``taken = {id(taken) for each in calls if (taken := of(each))}``."""
    found = [
        f"{module}:{node.lineno}"
        for module, node in _nodes()
        if isinstance(node, ast.Assign)
        for target in node.targets
        for inner in ast.walk(node.value)
        if isinstance(inner, ast.NamedExpr) and ast.unparse(target) == inner.target.id
    ]
    assert not found


def test_nothing_compiled_is_a_cached_property() -> None:
    """mypyc computes it each time: four times as long in all, with the same findings."""
    found = [
        f"{module}:{node.lineno}"
        for module, node in _nodes()
        if (isinstance(node, ast.Name) and node.id == "cached_property")
        or (isinstance(node, ast.alias) and node.name == "cached_property")
    ]
    assert not found


def test_no_compiled_pattern_names_a_sequence_with_a_star() -> None:
    """mypyc leaves the name unset: ``case [_, *_] as parts``."""
    found = [
        f"{module}:{node.lineno}"
        for module, node in _nodes()
        if isinstance(node, ast.MatchAs)
        and isinstance(node.pattern, ast.MatchSequence)
        and any(isinstance(each, ast.MatchStar) for each in node.pattern.patterns)
    ]
    assert not found
