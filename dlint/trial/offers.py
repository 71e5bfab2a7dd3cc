"""What could be tried: the names by which static analysis sees a loader come out of the user's files.

Nothing is run: the files are read, as ``dlint check`` reads them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dlint.analysis.analysis import Project, programs
from dlint.analysis.garbage import unsearched
from dlint.budget.budget import Exhausted
from dlint.finding import Trouble
from dlint.loaders.loaders import Loader
from dlint.project.files import listing
from dlint.project.paths import display_path
from dlint.settings.settings import Settings

_GUARD = ast.dump(ast.parse('__name__ == "__main__"', mode="eval").body)


class Offer(NamedTuple):
    """Something to be tried: ``target`` as ``dlint try`` takes it, the arguments that must be given with it,
    and the line of the loader that comes out of it."""

    target: str
    needs: tuple[str, ...]
    line: int

    @property
    def is_program(self) -> bool:
        """Whether it is a whole program, which is run up to its first loop over a loader."""
        return ":" not in self.target


def offers(paths: Sequence[Path], settings: Settings) -> tuple[list[Offer], tuple[Trouble, ...]]:
    """What could be tried in some files, by file and line: what needs no arguments first."""
    listed = listing(paths, settings.left_out, force_exclude=settings.force_exclude)
    found: dict[Offer, None] = {}
    troubles: list[Trouble] = list(listed.troubles)
    for root, files, program_files in listed.programs:
        shown = {path.relative_to(root).as_posix(): display_path(path) for path in files}
        try:
            with unsearched():
                for program in programs(Project(root, tuple(program_files), settings, {})):
                    for loader in program.loaders:
                        path = shown.get(loader.module.relative)
                        if path is not None and path.endswith(".py") and not loader.inherited:
                            found |= dict.fromkeys(_of(loader, path))
        except (Exhausted, RecursionError):
            troubles.append(Trouble(display_path(root), "too large to be looked through"))
    ordered = sorted(found, key=lambda each: (each.target.partition(":")[0], bool(each.needs), each.line))
    once: dict[str, Offer] = {}
    for each in ordered:  # several loaders may come out of one name
        once.setdefault(each.target, each)
    return list(once.values()), tuple(troubles)


def _of(loader: Loader, path: str) -> Iterator[Offer]:
    """The ways by which a loader comes out of its file, which may be a program."""
    tree, line = loader.module.tree, loader.call.lineno
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is loader.call:
                yield Offer(f"{path}:{name}", (), line)
            case ast.FunctionDef() if _contains(statement, loader.call):
                if (entry := _returned(statement, loader.call)) is not None:
                    yield Offer(f"{path}:{statement.name}{entry}", _needed(statement), line)
            case ast.ClassDef() if _contains(statement, loader.call):
                yield from _of_class(statement, loader.call, path)
    # A program's own main function knows what its loaders need.
    if any(isinstance(each, ast.If) and ast.dump(each.test) == _GUARD for each in tree.body):
        yield Offer(path, (), line)


def _of_class(cls: ast.ClassDef, call: ast.Call, path: str) -> Iterator[Offer]:
    """A method that gives the loader, of an object that is made with the class's own arguments."""
    init = next(
        (each for each in cls.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None
    )
    for method in cls.body:
        if not isinstance(method, ast.FunctionDef) or not _contains(method, call):
            continue
        entry = _returned(method, call)
        if entry is not None and not _needed(method)[1:] and (init is not None or not cls.bases):
            needs = _needed(init)[1:] if init is not None else ()
            yield Offer(f"{path}:{cls.name}.{method.name}{entry}", needs, call.lineno)


def _contains(node: ast.stmt, call: ast.Call) -> bool:
    end = node.end_lineno or node.lineno
    return node.lineno <= call.lineno <= end


def _returned(function: ast.FunctionDef, call: ast.Call) -> str | None:
    """Whether a function returns the loader: "" where it does, "[1]" where it is one of several."""
    names = {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and node.value is call
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def is_it(node: ast.expr | None) -> bool:
        return node is call or (isinstance(node, ast.Name) and node.id in names)

    for node in _own_statements(function.body):
        if not isinstance(node, ast.Return):
            continue
        if is_it(node.value):
            return ""
        match node.value:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for at, part in enumerate(parts):
                    if is_it(part):
                        return f"[{at}]"
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if is_it(value) and isinstance(key, ast.Constant) and isinstance(key.value, (str, int)):
                        return f"[{key.value}]"
    return None


def _own_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function, without those of functions within it."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from _own_statements(getattr(statement, name, ()))
        for handler in getattr(statement, "handlers", ()):
            yield from _own_statements(handler.body)


def _needed(function: ast.FunctionDef) -> tuple[str, ...]:
    """The parameters that have no default."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = positional[: len(positional) - len(arguments.defaults)]
    named = [
        argument
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]
    return tuple(argument.arg for argument in (*needed, *named))
