"""Open handles that the parent puts among options, or on what else only carries things, and that worker code
reads from there: ``opt["env"] = lmdb.open(path)``, ``self.opt["env"].begin()``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.early.per_process import is_for_one_process
from dlint.fork.handles import handle_of
from dlint.fork.order import comes_before
from dlint.fork.sides import functions_of, init_visits, made_in_parent, renewed
from dlint.objects.pickled_state import is_pickled
from dlint.program.handles.opened_by_others import takes_away_in
from dlint.source.statements import FunctionNode
from dlint.values.values import Instance, Made

if TYPE_CHECKING:
    from dlint.knowledge.processes.handles import Handle
    from dlint.program.program import Program
    from dlint.workers.events import Event, Visit
    from dlint.workers.uses import WorkerUse


class OnOptions(NamedTuple):
    """A handle, where it is put, and where workers read from it; whether it is ``pickled`` with what holds
    that, where workers are sent their dataset."""

    made: Made
    handle: Handle
    target: ast.Attribute | ast.Subscript
    event: Event
    pickled: bool


def on_options(program: Program, use: WorkerUse) -> Iterator[OnOptions]:
    """The handles that the parent has put so before the loader of a use is there, each once."""
    seen: set[int] = set()
    for event in use.code.events:
        made = event.owner
        if made is None or id(made.node) in seen or not isinstance(event.node, ast.Call):
            continue
        handle, target = handle_of(program.evaluator, made), _target(made)
        if handle is None or target is None:
            continue
        seen.add(id(made.node))
        reader = next((each for each in use.code.visits if each.frame.key == event.point.frame.key), None)
        if reader is None or is_for_one_process([reader]) or not _only_carries(program, use, made, target):
            continue
        if (
            made_in_parent(program, made, functions_of(program, use))
            and not renewed(program, use, made)
            and comes_before(program.evaluator, made.point, use)
            and not takes_away_in(program.evaluator, use, made.point.frame, _name(target))
            and not _is_stored_by_workers(program, use, _name(target))
        ):
            yield OnOptions(made, handle, target, event, _is_sent(program, use, reader, event.node))


def _target(made: Made) -> ast.Attribute | ast.Subscript | None:
    """What the statement in a function that makes something stores it in, where that is a part of a whole."""
    match made.point.statement:
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
            if value is made.node and isinstance(made.point.frame.scope, FunctionNode):
                return target
    return None


def _name(target: ast.Attribute | ast.Subscript) -> str:
    if isinstance(target, ast.Attribute):
        return target.attr
    return str(target.slice.value) if isinstance(target.slice, ast.Constant) else ""


def _only_carries(
    program: Program, use: WorkerUse, made: Made, target: ast.Attribute | ast.Subscript
) -> bool:
    """Whether what a handle is put on is no object that workers get, of which others tell."""
    held = {value.key for value, _ in program.evaluator.values(target.value, made.point)}
    return bool(_name(target)) and not any(
        part.value.key in held for part in program.shipped(use) if isinstance(part.value, Instance)
    )


def _is_stored_by_workers(program: Program, use: WorkerUse, name: str) -> bool:
    """Whether worker code may put a handle of its own in the place of the parent's."""
    word = rf"['\"]{re.escape(name)}['\"]"
    stores = re.compile(rf"\[{word}\]\s*=(?!=)|\.{re.escape(name)}\s*=(?!=)|\bsetattr\([^\n]{{0,300}}{word}")
    return any(
        stores.search(visit.function.module.text_of(visit.function.node))
        for visit in (*use.code.visits, *init_visits(program, use))
    )


def _is_sent(program: Program, use: WorkerUse, reader: Visit, call: ast.Call) -> bool:
    """Whether worker code finds a handle by an attribute of its own object that goes along in a pickle."""
    node: ast.expr = call.func
    names: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.value
    receiver = reader.function.receiver
    if not (isinstance(receiver, Instance) and names and isinstance(node, ast.Name)):
        return False
    return any(
        part.pickled and part.value.key == receiver.key for part in program.shipped(use)
    ) and is_pickled(program.evaluator, receiver.cls, names[-1])
