"""Main guards: which statements only the process runs that the user starts."""

from __future__ import annotations

import ast

from dlint.source.layout import Layout
from dlint.source.module import Module
from dlint.source.statements import dotted
from dlint.values.frame import Frame, Point
from dlint.values.places import places_around


def runs_in_main_only(frame: Frame, statement: ast.stmt | None) -> bool:
    """Whether only the process that the user starts runs a statement of a module, and no worker that imports
    the script anew: under the main guard, and in a ``__main__.py``, which workers do not import."""
    return is_main_module(frame.module) or is_guarded(frame, statement)


def is_main_module(module: Module) -> bool:
    """Whether a module is what ``python -m package`` and ``python folder`` run: multiprocessing has spawned
    workers import every other script, and leaves ``__main__`` out."""
    return module.relative.rpartition("/")[2] == "__main__.py"


def is_guarded(frame: Frame, statement: ast.stmt | None) -> bool:
    """Whether a statement of a module stands under ``if __name__ == "__main__":``."""
    return any(
        isinstance(place.owner, ast.If) and place.role == guarded_role(place.owner.test, frame.layout)
        for place in places_around(Point(frame, statement))
    )


def guarded_role(test: ast.expr, layout: Layout) -> str | None:
    """The block of an ``if`` (body or orelse) that the main guard holds, None where it is no guard."""
    outcome = _main_outcome(test, layout)
    return None if outcome is None else "body" if outcome else "orelse"


def _main_outcome(test: ast.expr, layout: Layout | None) -> bool | None:
    """The outcome of a test that tells that its module is the script; None where neither does. With the
    layout of the module, a name stands for the test that it was set to, and a call for the one
    that the function returns."""
    match test:
        case (
            ast.Compare(left=ast.Name(id="__name__"), ops=[op], comparators=[ast.Constant(value="__main__")])
            | ast.Compare(
                left=ast.Constant(value="__main__"), ops=[op], comparators=[ast.Name(id="__name__")]
            )
        ):
            return True if isinstance(op, ast.Eq) else False if isinstance(op, ast.NotEq) else None
        case ast.Compare(
            left=ast.Attribute(value=ast.Call(func=func), attr="name"),
            ops=[op],
            comparators=[ast.Constant(value="MainProcess")],
        ) if (dotted(func) or "").endswith("current_process"):
            return True if isinstance(op, ast.Eq) else False if isinstance(op, ast.NotEq) else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            outcome = _main_outcome(operand, layout)
            return None if outcome is None else not outcome
        case ast.BoolOp(op=op, values=values):
            # All parts of a true `and` are true, all parts of a false `or` are false.
            whole = isinstance(op, ast.And)
            return whole if any(_main_outcome(value, layout) is whole for value in values) else None
        case ast.Name(id=name) if layout is not None:
            setting = layout.binding(layout.body, anew=True).get(name, ())
            statement = layout.body[setting[0]] if len(setting) == 1 else None
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                return _main_outcome(statement.value, None)
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]) if layout is not None:
            setting = layout.binding(layout.body, anew=True).get(name, ())
            match layout.body[setting[0]] if len(setting) == 1 else None:
                case ast.FunctionDef(body=[*_, ast.Return(value=ast.expr() as answer)]):
                    return _main_outcome(answer, None)
    return None
