"""Open handles that workers get in a function: bound by a partial, left by the function around it, or the one
whose method it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.handles import handle_of
from dlint.fork.sides import functions_of, made_in_parent
from dlint.knowledge.processes.handles import HANDLES, HANDLES_IF_GIVEN
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode
from dlint.values.frame import Arguments, Point, layout_of
from dlint.values.values import External, Function, Made, Partial

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.fork.shipped import Part
    from dlint.knowledge.processes.handles import Handle
    from dlint.program.program import Program
    from dlint.workers.events import Event
    from dlint.workers.uses import WorkerUse

# What lets go of a handle, or puts another in its place.
_LETS_GO = regex(r"\.(?:close|release)\(|\bnonlocal\b")


class InFunction(NamedTuple):
    """A handle in a function, what workers get that in, and where they read from it. Where it is ``bound``,
    pickle would have to send it with the function."""

    made: Made
    handle: Handle
    part: Part
    event: Event
    bound: bool


def in_functions(program: Program, use: WorkerUse) -> Iterator[InFunction]:
    """The handles that functions bring to the workers of a use, which read from them."""
    read: dict[int, Event] = {}
    called: set[tuple[int, str]] = set()
    for event in use.code.events:
        made = event.owner
        if made is not None and (made.name in HANDLES or made.name in HANDLES_IF_GIVEN):
            read.setdefault(id(made.node), event)
            called.add((id(made.node), event.name))
    if not read:
        return
    evaluator, worker = program.evaluator, functions_of(program, use)
    evaluator.start()
    for part in program.shipped(use):
        for made, bound in _brought(evaluator, part, read, called):
            handle = handle_of(evaluator, made)
            if handle is not None and made_in_parent(program, made, worker) and not _is_let_go(made):
                yield InFunction(made, handle, part, read[id(made.node)], bound)


def _brought(
    evaluator: Evaluator, part: Part, read: dict[int, Event], called: Set[tuple[int, str]]
) -> Iterator[tuple[Made, bool]]:
    """What a function brings of that which workers read from, and whether it is bound to it; of methods those
    that are ``called``, for what a handle tells of itself (``file.shape``) goes by the same kind of name."""
    match part.value:
        case Partial(arguments=arguments):
            for argument in arguments.all():
                for value, _ in evaluator.value_of(argument, part.world):
                    if isinstance(value, Made) and id(value.node) in read:
                        yield value, True
        case External(owner=Made() as made, name=method) if (id(made.node), method) in called:
            yield made, True
        case Function(receiver=None) as function:
            for name, point in _free_names(evaluator, function):
                for value, _ in evaluator.values(name, point, part.world):
                    if isinstance(value, Made) and id(value.node) in read:
                        yield value, False


def _free_names(evaluator: Evaluator, function: Function) -> Iterator[tuple[ast.Name, Point]]:
    """The names in a function that the function around it binds, each once."""
    if not isinstance(function.frame.scope, FunctionNode):
        return
    node = function.node
    inner = evaluator.calls.enter(function, Arguments(), None, None)
    body = None if isinstance(node, ast.Lambda) else node.body[0]
    around, own = function.frame.layout.binds, layout_of(node).binds
    seen: set[str] = set()
    for each in walk(node):
        if isinstance(each, ast.Name) and each.id in around and each.id not in own and each.id not in seen:
            seen.add(each.id)
            yield each, Point(inner, body)


def _is_let_go(made: Made) -> bool:
    """Whether the function that opens a handle may close it again, or another may store a new one there."""
    return isinstance(made.point.statement, ast.With) or bool(
        _LETS_GO.search(made.point.frame.module.text_of(made.point.frame.scope))
    )
