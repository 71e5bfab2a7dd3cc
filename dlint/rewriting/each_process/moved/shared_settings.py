"""What an expression reads of objects that others hold, too, and may change: ``self.args.bank``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
from libcst.metadata import GlobalScope, ImportAssignment, ScopeProvider

from dlint.changes.lasting import is_rebound, lasts
from dlint.knowledge.randomness import sounds_like_settings
from dlint.program.program import Program
from dlint.rewriting.pieces.imports import bound_in_module
from dlint.rewriting.source import Source


def may_read_another(source: Source, program: Program, node: cst.BaseExpression) -> bool:
    """Whether an expression may give another value when it is read later, because it reads a name of a module
    that may be set anew, or an attribute or an item of what others may have changed.

    The object's own attributes are not asked about: ``self.args`` itself; nor is what a library has.
    """
    for root, steps in _reads(node):
        if root != "self" and _is_of_library(source, program, root, steps):
            continue
        if root != "self" and _is_set_anew(source, program, root):
            return True
        for step in steps[1:] if root == "self" else steps:
            if step is None or not lasts(program, step):
                return True
    return False


def _is_set_anew(source: Source, program: Program, name: str) -> bool:
    scopes = source.metadata(ScopeProvider).values()
    scope = next((each for each in scopes if isinstance(each, GlobalScope)), None)
    bound = list(scope[name]) if scope is not None else []
    if any(isinstance(each, ImportAssignment) for each in bound):
        return False  # h5py, or None where it is not there
    return len(bound) > 1 or is_rebound(program, name)


def _is_of_library(source: Source, program: Program, root: str, steps: list[str | None]) -> bool:
    """Whether a name, which only imports bind, is a library's, and what is read there no settings:
    ``zipfile.ZIP_DEFLATED``."""
    if any(step is not None and sounds_like_settings(step) for step in [root, *steps]):
        return False
    scopes = [each for each in dict.fromkeys(source.metadata(ScopeProvider).values()) if each is not None]
    bound = bound_in_module(source, root) or [each for scope in scopes for each in scope.assignments[root]]
    return bool(bound) and all(
        isinstance(each, ImportAssignment) and not _is_of_program(source, program, each) for each in bound
    )


def _is_of_program(source: Source, program: Program, imported: ImportAssignment) -> bool:
    """Whether an import names a module of the program, or may name one."""
    node = imported.node
    if isinstance(node, cst.ImportFrom):
        names = [imported.get_module_name_for_import()]
    elif isinstance(node, cst.Import):
        names = [str(each.evaluated_name) for each in node.names]
    else:
        return True
    home = source.surroundings.module(source).relative
    absolute = program.modules.imports.absolute
    return any(
        name.startswith(".") or absolute(name, home) or absolute(name.partition(".")[0], home)
        for name in names
    )


def _reads(node: cst.CSTNode) -> Iterator[tuple[str, list[str | None]]]:
    """What an expression reads: a name, and the attributes that it follows from there, None for an item.

    What is called is left out, but for the object whose method it is: ``os.path.join`` stays what it is.
    """
    match node:
        case cst.Name(value=name):
            yield name, []
        case cst.Attribute(value=held, attr=cst.Name(value=name)):
            yield from _onwards(held, name)
        case cst.Subscript(value=held):
            yield from _onwards(held, None)
            yield from (each for part in node.slice for each in _reads(part))
        case cst.Call(func=func, args=args):
            if isinstance(func, cst.Attribute) and not isinstance(func.value, cst.Name | cst.Attribute):
                yield from _reads(func.value)
            yield from (each for arg in args for each in _reads(arg.value))
        case _:
            yield from (each for child in node.children for each in _reads(child))


def _onwards(held: cst.BaseExpression, step: str | None) -> Iterator[tuple[str, list[str | None]]]:
    """The same of an attribute or an item of something; of a value that is made there nothing is shared."""
    for at, (root, steps) in enumerate(_reads(held)):
        plain = at == 0 and isinstance(held, cst.Name | cst.Attribute | cst.Subscript)
        yield root, [*steps, step] if plain else steps
