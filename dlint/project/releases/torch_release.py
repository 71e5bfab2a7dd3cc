"""The torch releases that a project's own declarations allow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dlint.project.releases.bounds import Range, allowed, numbers, together, wheel_named
from dlint.project.releases.declarations import NOTHING, Declaration, Declared, Failed, Files, Found, placed
from dlint.project.releases.environments import dependencies
from dlint.regex import regex
from dlint.source.reading import MAX_BYTES, SourceError

# What ``pip install torch`` gives today: the meaning of a declaration without a version.
CURRENT_TORCH = "2.13"

_COMMENT = regex(r"(?:^|\s)#")
_PIP = regex(r"torch(?:\[[^\]]*\])?\s*(?P<bounds>$|[;@(=<>!~,#\s].*)", re.IGNORECASE)
_CONDA = regex(r"(?:[\w.-]+::)?pytorch(?:-gpu|-cpu)?\s*(?P<bounds>$|[=<>!~,#\s].*)", re.IGNORECASE)
_LOCKED_NAME = regex(r"""(?:name\s*=\s*"torch"|\s+"torch":\s*\{)\s*$""")
_LOCKED_RELEASE = regex(r"""\s*"?version"?\s*[=:]\s*"(?:==)?(?P<release>[0-9]+(?:\.[0-9]+)*)""")
_IMAGE = regex(
    r"^\s*FROM\s+(?:--\S+\s+)?(?:docker\.io/)?pytorch/pytorch:(?P<image>[0-9]+(?:\.[0-9]+)+)"
    r"|(?:^|[\s'\"])(?:torch==|pytorch==?)(?P<pinned>[0-9]+(?:\.[0-9]+)+)",
    re.IGNORECASE,
)
_KEY = regex(r"""^[ \t]*["']?torch["']?[ \t]*=""", re.MULTILINE)


def declarations_of_torch(root: Path, failed: Failed | None = None) -> Declared:
    """What the project at ``root`` says of the torch that it needs.

    What it requires decides: pyproject.toml, requirements files, setup.cfg, setup.py, Pipfile and conda's
    environment files. Where that names no release (``torch``), the lock files say from which one on, else the
    Dockerfiles; else it is what is current. Several are all allowed. None where nothing is declared, nor
    where a file cannot be read that may declare any release, which ``failed`` is told of. A file that is not
    written as it should be declares nothing.
    """
    files = Files(root, "torch", failed)
    deciding: list[Declaration] = []
    later: list[Range] = []  # of a name without a release, which allows all later ones
    for read in (_required, _locked, _in_dockerfiles):
        found = list(read(files))
        if not found:
            continue
        deciding = found
        if any(allowed(each.bounds).limited for each in found):
            break
        later = [Range(CURRENT_TORCH, None)]
    if not deciding:
        return NOTHING
    within = {bounds: allowed(bounds) for bounds in {each.bounds for each in deciding}}
    whole = together([*within.values(), *later])
    deciding.sort(key=lambda each: _reach(within[each.bounds]))
    return Declared(None if files.incomplete else whole, tuple(deciding))


def _reach(declared: Range) -> tuple[int, ...]:
    """How far back a declaration reaches, to be sorted by."""
    if not declared.limited:
        return numbers(CURRENT_TORCH)
    return numbers(declared.oldest) if declared.oldest is not None else ()


def _required(files: Files) -> Iterator[Declaration]:
    """What the project asks installers for."""
    root = files.root
    for name, read in (
        ("pyproject.toml", _in_pyproject),
        ("setup.cfg", _in_setup_cfg),
        ("setup.py", _in_setup_py),
        ("Pipfile", _in_pipfile),
    ):
        yield from placed(root / name, read(files.text(root / name)))
    listed = [*files.named(root, "requirements", ".txt"), *files.named(root / "requirements", "", ".txt")]
    for file in listed:
        # With the hashes of every wheel, these grow longer than what people write.
        yield from placed(file, _in_requirements(files.text(file, MAX_BYTES)))
    for file in files.named(root, "environment", ".yml", ".yaml"):
        yield from placed(file, _in_environment(files.text(file)))


def _locked(files: Files) -> Iterator[Declaration]:
    """What the lock files say is installed."""
    for name in ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"):
        file = files.root / name
        yield from placed(file, _in_lock(files.text(file, MAX_BYTES)))


def _in_dockerfiles(files: Files) -> Iterator[Declaration]:
    """What the images hold."""
    for folder in (files.root, files.root / "docker"):
        for file in files.named(folder, "Dockerfile", ""):
            yield from placed(file, _in_dockerfile(files.text(file)))


def _in_requirements(text: str) -> Found:
    for number, line in enumerate(text.splitlines(), 1):
        if "torch" in line.lower():
            for bounds in _in_requirement(line):
                yield bounds, number


def _in_lock(text: str) -> Found:
    """The releases of torch in a lock file, read line by line: such files are written by programs."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if _LOCKED_NAME.match(line):
            inside = True
        elif line.startswith("[") or line.rstrip(" ,") == "        }":
            inside = False
        elif inside and (release := _LOCKED_RELEASE.match(line)):
            inside = False
            yield f"=={release['release']}", number


def _in_dockerfile(text: str) -> Found:
    """What the last line that names a release leaves installed."""
    last: tuple[str, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        for release in _IMAGE.finditer(line):
            last = f"=={release['image'] or release['pinned']}", number
    if last is not None:
        yield last


def _line_of(text: str, entry: re.Pattern[str]) -> int:
    """The first line on which an entry of a TOML file stands; 1 where it is written in another way."""
    found = entry.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _in_requirement(line: str) -> Iterator[str]:
    """One line of pip's: a requirement, or the address of a wheel."""
    line = _COMMENT.split(line.strip(), maxsplit=1)[0]
    requirement = _PIP.match(line)
    if requirement:
        yield requirement["bounds"]
    elif wheel_named(line):
        yield line


def _in_pyproject(text: str) -> Found:
    document = _toml(text)
    project = _table(document, "project")
    groups = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    groups += _table(document, "dependency-groups").values()
    groups += _table(_table(_table(document, "tool"), "pdm"), "dev-dependencies").values()
    for group in groups:
        for requirement in group if isinstance(group, list) else ():
            if isinstance(requirement, str):
                for bounds in _in_requirement(requirement):
                    yield bounds, _line_of(text, re.compile(re.escape(requirement)))
    poetry = _table(_table(document, "tool"), "poetry")
    tables = [poetry, *(each for each in _table(poetry, "group").values() if isinstance(each, dict))]
    for table in tables:
        for key in ("dependencies", "dev-dependencies"):
            for bounds in _in_poetry(_table(table, key).get("torch")):
                yield bounds, _line_of(text, _KEY)


def _in_pipfile(text: str) -> Found:
    document = _toml(text)
    for key in ("packages", "dev-packages"):
        for bounds in _in_poetry(_table(document, key).get("torch")):
            yield bounds, _line_of(text, _KEY)


def _toml(text: str) -> Mapping[str, Any]:
    if not text:
        return {}
    from dlint.project.toml import TOMLError, loads

    try:
        return loads(text)
    except TOMLError:
        return {}


def _in_poetry(declared: Any) -> Iterator[str]:
    """Poetry's value: a version, a table with one, or a list of such tables."""
    for each in declared if isinstance(declared, list) else (declared,):
        version = each.get("version", f"@ {each.get('url', '')}") if isinstance(each, dict) else each
        if isinstance(version, str):
            yield version


def _table(parent: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = parent.get(key)
    return value if isinstance(value, dict) else {}


def _in_setup_cfg(text: str) -> Found:
    """The values of install_requires and of all extras; read by hand, as configparser's way is quadratic."""
    section = ""
    wanted = False
    indent = 0  # of the option: what stands deeper goes on with its value
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content or content[0] in "#;":
            continue
        depth = len(line) - len(line.lstrip())
        if depth <= indent or not section:
            if content[0] == "[":
                # Whatever stands next begins an option.
                section, indent, wanted = content[1:].partition("]")[0], len(text), False
                continue
            name = re.split("[=:]", content, maxsplit=1)[0]
            option = name.strip().lower().replace("-", "_")
            wanted = section == "options.extras_require" or (section, option) == (
                "options",
                "install_requires",
            )
            indent = depth
            content = content[len(name) + 1 :]
        if wanted:
            for bounds in _in_requirement(content):
                yield bounds, number


def _in_setup_py(text: str) -> Found:
    """Strings in install_requires and extras_require, written there or in what is named there."""
    if not text:
        return
    from dlint.source.trees.parsing import parse

    try:
        tree = parse(text)
    except SourceError:
        return
    defined = _defined(tree)
    keywords = (node for node in ast.walk(tree) if isinstance(node, ast.keyword))
    waiting: list[ast.AST] = [
        node.value for node in keywords if node.arg in ("install_requires", "extras_require")
    ]
    seen: set[int] = set()  # each part once: a value may be named often, and stand in another
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            for bounds in _in_requirement(part.value):
                yield bounds, part.lineno
        elif isinstance(part, ast.Name):
            waiting += defined.pop(part.id, ())
        elif isinstance(part, ast.Subscript):
            waiting.append(part.value)  # the key of a table is no requirement
        else:
            waiting += ast.iter_child_nodes(part)


def _defined(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """What each name of a script is given: values, entries (``extras["all"] = ...``), a function's body."""
    defined: dict[str, list[ast.AST]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
            ):
                targets = [target]
            case ast.FunctionDef(name=name, body=body):
                defined.setdefault(name, []).extend(body)
                continue
            case _:
                continue
        for each in targets:
            table = each.value if isinstance(each, ast.Subscript) else each
            if isinstance(table, ast.Name):
                defined.setdefault(table.id, []).append(value)
    return defined


def _in_environment(text: str) -> Found:
    """Conda's environment file: its dependencies are a list of plain strings."""
    for spec, number in dependencies(text):
        conda = _CONDA.match(spec.strip())
        if conda:
            yield conda["bounds"], number
        else:
            for bounds in _in_requirement(spec):
                yield bounds, number
