"""Handles of a module that worker code reads, opened at import or kept in a global by the parent."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.early.emptied import is_emptied
from dlint.fork.sides import functions_of, made_in_parent, names_of, renewed
from dlint.program.handles.events import events_of_handles
from dlint.source.statements import FunctionNode, own_names, statements_in

if TYPE_CHECKING:
    from dlint.knowledge.processes.handles import Handle
    from dlint.program.program import Program
    from dlint.values.values import Made
    from dlint.workers.events import Event
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode


def of_modules(
    program: Program, uses: list[WorkerUse], code: WorkerCode
) -> Iterator[tuple[Event, Made, Handle, list[WorkerUse]]]:
    """Such handles that forked workers share, and the uses whose workers do: they neither open them anew nor
    find them gone."""
    for event, made, handle in events_of_handles(program, code):
        at_import = is_at_import(made)
        if not handle.forked or not (at_import or _is_global(made)):
            continue
        kept = [
            use
            for use in uses
            if (at_import or made_in_parent(program, made, functions_of(program, use)))
            and not renewed(program, use, made)
            and not any(is_emptied(program, use, name, made.node) for name in names_of(made))
        ]
        if kept:
            yield event, made, handle, kept


def is_at_import(made: Made) -> bool:
    """Whether a module's own body makes something."""
    return isinstance(made.point.frame.scope, ast.Module)


def _is_global(made: Made) -> bool:
    """Whether a function keeps something in a global."""
    scope, statement = made.point.frame.scope, made.point.statement
    if (
        not isinstance(scope, FunctionNode)
        or statement is None
        or "global " not in made.point.frame.module.text_of(scope)
    ):
        return False
    names = {
        name for each in statements_in(scope.body) if isinstance(each, ast.Global) for name in each.names
    }
    return not names.isdisjoint(own_names(statement))
