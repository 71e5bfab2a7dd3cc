"""Handles that a method which no worker runs opens where its object has none yet, and that workers then have:
``if self.file is None:`` stands in ``__len__`` as well as in ``__getitem__``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dlint.fork.early.opened_late import Opened, path_of
from dlint.fork.handles import handle_of
from dlint.fork.held_handles import keeps_what_is_there
from dlint.fork.ways.surely import is_absent_at_first, is_sure, starts_as_none
from dlint.source.statements import own_names, self_name, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.values import Class, Instance, Made
from dlint.values.worlds import HERE
from dlint.workers.repetition import is_only_where_none

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.statements import FunctionNode
    from dlint.workers.events import Visit

# Where worker code reads each attribute of its object.
_Reads = Mapping[str, tuple["Visit", ast.AST]]


def opened_beside(program: Program, owner: Instance, visits: list[Visit], reads: _Reads) -> Iterator[Opened]:
    """The handles that other methods of an object surely open and keep where there is none, and that worker
    code reads and keeps if they are there."""
    evaluator = program.evaluator
    workers = {id(visit.function.node) for visit in visits}
    for name, (visit, _) in reads.items():
        storing = [
            (cls, method)
            for cls, method in evaluator.attributes.stored.storing(owner, name)
            if method.name != "__init__" and id(method) not in workers
        ]
        if not storing or not _begins_with_nothing(program, owner, name, storing):
            continue
        for value, _ in evaluator.attributes.held(owner, name, HERE):
            handle = handle_of(evaluator, value)
            if handle is None or not isinstance(value, Made):
                continue
            binding = [each for each in visits if path_of(each, name) in each.frame.layout.binds]
            if not all(keeps_what_is_there(each, name) for each in binding):
                continue
            for cls, method in storing:
                if _surely_stores(program, owner, cls, method, name, value):
                    yield Opened(handle, value, visit, name, method)


def _begins_with_nothing(
    program: Program, owner: Instance, name: str, methods: list[tuple[Class, FunctionNode]]
) -> bool:
    """Whether an object has nothing under a name once it is made: None, or no attribute at all, where methods
    ask for that."""
    if starts_as_none(program.evaluator, owner, name):
        return True
    asked = re.compile(rf"\bhasattr\(\w+, ['\"]{name}['\"]\)|\bgetattr\(\w+, ['\"]{name}['\"], None\)")
    return any(asked.search(cls.module.text_of(method)) for cls, method in methods) and is_absent_at_first(
        program.evaluator, owner, name
    )


def _surely_stores(
    program: Program, owner: Instance, cls: Class, method: FunctionNode, name: str, made: Made
) -> bool:
    """Whether a method opens a handle where an attribute has none, and leaves it there, whatever else there
    is. What it opens in any case is told by who calls it: see opened_by_others."""
    evaluator, path = program.evaluator, f"{self_name(method)}.{name}"
    frame = Frame(cls.module, method, Frame(cls.module, cls.node, cls.frame), receiver=owner, owner=cls)
    return any(
        is_only_where_none(statement, Point(frame, statement))
        and is_sure(evaluator, Point(frame, statement))
        and any(
            isinstance(value, Made) and value.node is made.node
            for value, _ in evaluator.names.defined(statement, path, frame, HERE)
        )
        for statement in statements_in(method.body)
        if path in own_names(statement)
    )
