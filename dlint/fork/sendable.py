"""Whether pickle can send a value to a worker, as far as the analysis knows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.fork.handles import handle_of
from dlint.fork.shipped import shipped
from dlint.knowledge.processes.by_name import is_refused
from dlint.knowledge.processes.pickling import NAMED_TUPLES, REDUCES
from dlint.project.main_guards import is_guarded
from dlint.values.values import Class, Const, Function, Instance, Made, ModuleValue, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.frame import Frame


def refused_part(evaluator: Evaluator, value: Value, world: World, but: ast.AST | None = None) -> str | None:
    """What of a value, or of what it holds, pickle is known to refuse, the function ``but`` left aside; None
    where nothing is known."""
    for part in shipped(evaluator, value, "", world):
        if isinstance(part.value, Function) and part.value.node is but:
            continue
        what = _refused(evaluator, part.value) if part.pickled else None
        if what is not None:
            return what
    return None


def _refused(evaluator: Evaluator, value: Value) -> str | None:
    match value:
        case Function(node=ast.Lambda()):
            return "a lambda"
        case Function(receiver=None, owner=None, node=ast.FunctionDef() as node) if _is_local(
            value.frame, node
        ):
            return f"{node.name}, a local function"
        case Instance(cls=Class() as cls) | (Class() as cls) if _is_local(cls.frame, cls.node):
            return f"{cls.name}, a local class"
        case ModuleValue():
            return "a module"
        case Made(name=name) if is_refused(name) or (
            (handle := handle_of(evaluator, value)) is not None and not handle.sent
        ):
            return f"what {name.rpartition('.')[2]}() gives"
    return None


def class_without_name(evaluator: Evaluator, callee: Value) -> str | None:
    """What a reader calls a class that pickle does not find under its name, so that no object of it can be
    sent; None for any other thing."""
    match callee:
        case Class() as cls if _is_inside_function(cls.frame):
            renamed = "__qualname__" in cls.module.text or _is_global(cls.node.name, cls.frame)
            if renamed or any(
                isinstance(each, ast.FunctionDef) and each.name in REDUCES
                for above in evaluator.classes.line(cls)
                for each in above.node.body
            ):
                return None
            return f"{cls.name}, a local class"
        case Made(name=name) as made if name in NAMED_TUPLES and made.arguments.positional:
            called = {value for value, _ in evaluator.value_of(made.arguments.positional[0], HERE)}
            match [*called], made.point.statement:
                case [Const(value=str() as word)], ast.Assign(targets=targets):
                    return _unlike(word, targets, made.point.frame)
    return None


def _unlike(word: str, targets: list[ast.expr], frame: Frame) -> str | None:
    """The same of a class of tuples: what it calls itself, and what it is stored as."""
    outermost = frame
    while outermost.outer is not None:
        outermost = outermost.outer
    if word in outermost.layout.binds or _is_global(word, frame):
        return None
    if _is_inside_function(frame):
        return f"{word}, a local namedtuple"
    if isinstance(frame.scope, ast.ClassDef):
        return f"{word}, a namedtuple in a class"
    return f"{word}, a namedtuple that is called {ast.unparse(targets[0])} in its module"


def _is_inside_function(frame: Frame) -> bool:
    at: Frame | None = frame
    while at is not None:
        if isinstance(at.scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return True
        at = at.outer
    return False


def _is_global(name: str, frame: Frame) -> bool:
    return any(isinstance(node, ast.Global) and name in node.names for node in frame.layout.nodes)


def _is_local(frame: Frame, node: ast.AST) -> bool:
    if isinstance(frame.scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return True
    return isinstance(frame.scope, ast.Module) and isinstance(node, ast.stmt) and is_guarded(frame, node)
