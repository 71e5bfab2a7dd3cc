"""Functions and classes that go to workers, and that pickle finds under no name: lambdas, what is local, what
a decorator puts in a function's place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from dlint.calls.decorators import wrappers
from dlint.fork.shipped import Part
from dlint.project.main_guards import is_guarded
from dlint.regex import regex
from dlint.source.desugaring.records import is_field
from dlint.source.module import Module
from dlint.source.notebooks import is_notebook
from dlint.values.frame import Frame
from dlint.values.values import Class, Function, Instance

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_WRAPS_BY_HAND = "decorate it with functools.wraps, which gives it the name of what it stands for"
_METHOD_BY_HAND = "write the method as a def"
_NAMES = regex(r"update_wrapper|__qualname__|__name__|__wrapped__")


class Nameless(NamedTuple):
    """Something that pickle cannot name, where it is defined, and what to say of it; ``cure``: what to do
    where moving it to the module would not help."""

    module: Module
    node: ast.Lambda | ast.FunctionDef | ast.ClassDef
    what: str
    cure: str = ""


def nameless(evaluator: Evaluator, part: Part) -> Nameless | None:
    """What pickle refuses, None where it can send a thing."""
    match part.value if part.pickled else None:
        case Function(node=ast.Lambda() as node) as function:
            # A bound method is looked up by the name that its function has.
            cure = _METHOD_BY_HAND if _is_method(node, function.frame.scope) else ""
            return Nameless(function.module, node, f"{part.place} is a lambda", cure)
        case Function(receiver=None, owner=None, node=ast.FunctionDef() as node) as function:
            kind = _unreachable(function.frame, node)
            if kind is not None:
                named = "" if node.name == part.place else f"{node.name}, "
                return Nameless(function.module, node, f"{part.place} is {named}a {kind[0]}function{kind[1]}")
            if node.decorator_list:
                return _decorated(evaluator, part, function, node)
        case Instance(cls=Class() as cls):
            kind = _unreachable(cls.frame, cls.node)
            if kind is not None:
                return Nameless(
                    cls.module, cls.node, f"{part.place} is made of {cls.name}, a {kind[0]}class{kind[1]}"
                )
    return None


def _decorated(
    evaluator: Evaluator, part: Part, function: Function, node: ast.FunctionDef
) -> Nameless | None:
    """What stands in a function's place and has not its name, by which pickle would find it."""
    found = wrappers(evaluator, node, function.frame) if len(node.decorator_list) == 1 else []
    for wrapper in found:
        inner, around = wrapper.node, wrapper.frame.scope
        if not isinstance(inner, ast.FunctionDef) or not isinstance(around, ast.FunctionDef):
            continue
        # Nothing says that it takes over the name, neither a decorator of its own nor `update_wrapper`.
        if not inner.decorator_list and not _NAMES.search(wrapper.module.text_of(around)):
            what = f"{part.place} is {inner.name}, a local function in place of {node.name}"
            return Nameless(wrapper.module, inner, what, _WRAPS_BY_HAND)
    return None


def _is_method(node: ast.Lambda, scope: ast.AST) -> bool:
    """Whether a lambda is a method of a class: ``collate = lambda self, batch: ...``."""
    return isinstance(scope, ast.ClassDef) and any(
        isinstance(each, ast.Assign)
        and each.value is node
        and not is_field(scope, ast.unparse(each.targets[0]))
        for each in scope.body
    )


def _unreachable(frame: Frame, node: ast.stmt) -> tuple[str, str] | None:
    """Why a worker cannot look a definition up by its name; None where it can."""
    if isinstance(frame.scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return "local ", ""
    if isinstance(frame.scope, ast.Module) and is_notebook(frame.module.path):
        return "", " of a notebook, which workers do not have"
    if isinstance(frame.scope, ast.Module) and is_guarded(frame, node):
        return "", " that only the main guard defines"
    return None
