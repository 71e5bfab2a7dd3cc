"""Images that Pillow has opened and not read: of which an object keeps an open file and no pixels."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.fork.early.opened_late import parent_run
from dlint.fork.early.reads import item_read_in_parent
from dlint.fork.early.used import used_before
from dlint.knowledge.processes.handles import LEAVES_UNREAD, PATHS, UNREAD, Handle
from dlint.regex import regex
from dlint.source.nodes import children, walk
from dlint.source.statements import FunctionNode, dotted, parameters
from dlint.values.values import Instance, Made
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.values.frame import Frame
    from dlint.workers.events import Visit
    from dlint.workers.uses import WorkerUse

_NEVER = regex(r"(?!)")


def unread_image(program: Program, owner: Instance, name: str, value: object) -> Handle | None:
    """The handle that an attribute of an object holds, be it in a list, once it is made: an image that its
    constructor opens by a path, and asks no more than what is in the header."""
    if not isinstance(value, Made) or value.name not in UNREAD or len(value.arguments.positional) != 1:
        return None
    evaluator = program.evaluator
    for source, _ in evaluator.value_of(value.arguments.positional[0], HERE):
        if isinstance(source, Made) and source.name.partition(".")[0] not in PATHS:
            return None  # it may be in memory, or come over the network
    begun = [frame for _, frame in evaluator.initialisers.of(owner)]
    own = [
        frame
        for frame in parent_run(program, begun)
        if isinstance(frame.receiver, Instance) and frame.receiver.key == owner.key
    ]
    if not any(frame.scope is value.point.frame.scope for frame in own):
        return None
    return None if any(_is_read(frame, name, value) for frame in own) else UNREAD[value.name]


def is_read_early(program: Program, use: WorkerUse, owner: Instance, visits: list[Visit]) -> bool:
    """Whether the parent reads an item of an object, or runs what workers run to do so, before they start."""
    if item_read_in_parent(program, use, owner.cls) is not None:
        return True
    scopes = {id(visit.function.node) for visit in visits}
    names = {visit.function.node.name for visit in visits if isinstance(visit.function.node, FunctionNode)}
    return any(
        id(frame.scope) in scopes for used in used_before(program, use, names, _NEVER) for frame in used.run
    )


def _is_read(frame: Frame, name: str, image: Made) -> bool:
    """Whether a function of the object does more with an image, or with the list that has it, than to store
    it and to ask what its header says."""
    scope = frame.scope
    if not isinstance(scope, FunctionNode):
        return True
    first = parameters(scope)[:1]
    kept = f"{first[0].arg if first else 'self'}.{name}"
    names = {kept}
    if scope is image.point.frame.scope and isinstance(image.point.statement, ast.Assign):
        names |= {target.id for target in image.point.statement.targets if isinstance(target, ast.Name)}
    above = {id(child): node for node in walk(scope) for child in children(node)}
    return any(
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and dotted(node) in names
        and not _is_left_alone(node, above, kept)
        for node in walk(scope)
    )


def _is_left_alone(node: ast.expr, above: dict[int, ast.AST], kept: str) -> bool:
    """Whether what is around an image, or the list that has it, leaves it unread."""
    match above.get(id(node)):
        case ast.Assign(targets=[ast.Attribute() as target]):
            return dotted(target) == kept
        case ast.Return() | ast.Call(func=ast.Name(id="len")):
            return True
        case ast.Attribute(attr=attr):
            return attr in LEAVES_UNREAD
        case ast.Call(func=ast.Attribute(value=into, attr="append")) as call if call.func is not node:
            return dotted(into) is not None
    return False
