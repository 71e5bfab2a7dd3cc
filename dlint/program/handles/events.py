"""The events of worker code that are methods of handles, and the attributes in which others keep those."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.handles import handle_of
from dlint.source.statements import FunctionNode, own_names, self_name

if TYPE_CHECKING:
    from dlint.knowledge.processes.handles import Handle
    from dlint.program.program import Program
    from dlint.values.frame import Frame
    from dlint.values.values import Made
    from dlint.workers.events import Event, Visit
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode


def events_of_handles(program: Program, code: WorkerCode) -> list[tuple[Event, Made, Handle]]:
    """The events of worker code that are methods of handles, found once for all who share it."""
    mark = ("events of handles", id(code))
    if mark not in program.answers:
        program.answers[mark] = [
            (event, event.owner, handle)
            for event in code.events
            if event.owner is not None and (handle := handle_of(program.evaluator, event.owner)) is not None
        ]
    found: list[tuple[Event, Made, Handle]] = program.answers[mark]
    return found


def part_read(call: ast.Call, frame: Frame) -> str:
    """The attribute of an object, which another holds, whose method is called: ``self.shard.file.read()``,
    ``shard = self.shards[index]; shard.file.read()``."""
    own = self_name(frame.scope) if isinstance(frame.scope, FunctionNode) and frame.owner is not None else ""
    match call.func:
        case ast.Attribute(value=ast.Attribute(value=ast.Attribute() | ast.Subscript(), attr=name)):
            return name
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id=holder), attr=name)) if holder != own:
            return name
    return ""


def read_elsewhere(program: Program, use: WorkerUse) -> Iterator[tuple[Visit, dict[str, ast.AST]]]:
    """The attributes of an object that worker code reads of what holds the object, and where: handles that
    somebody else has stored there (``self.shard.file = open(path)``)."""
    for event, made, _ in events_of_handles(program, use.code):
        call = event.node
        name = part_read(call, event.point.frame) if isinstance(call, ast.Call) else ""
        if not name:
            continue
        stored = made.point.statement
        if stored is None or not any(path.endswith(f".{name}") for path in own_names(stored)):
            continue
        for visit in use.code.visits:
            if visit.frame.key == event.point.frame.key:
                yield visit, {name: call}
                break
