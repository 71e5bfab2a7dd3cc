"""Whether pickle can send a value to a worker, as far as the analysis knows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.fork.handles import handle_of
from dlint.fork.shipped import shipped
from dlint.knowledge.processes.by_name import is_refused
from dlint.project.main_guards import is_guarded
from dlint.values.values import Class, Function, Instance, Made, ModuleValue, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.frame import Frame


def refused_part(evaluator: Evaluator, value: Value, world: World) -> str | None:
    """What of a value, or of what it holds, pickle is known to refuse; None where nothing is known."""
    for part in shipped(evaluator, value, "", world):
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


def _is_local(frame: Frame, node: ast.AST) -> bool:
    if isinstance(frame.scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return True
    return isinstance(frame.scope, ast.Module) and isinstance(node, ast.stmt) and is_guarded(frame, node)
