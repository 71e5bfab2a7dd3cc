"""Handles opened when they are first needed, and whether the main process needs them before workers start."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.early.let_go import drops_of, taken_away
from dlint.fork.early.used import Used, is_one_of, used_before
from dlint.fork.handles import handle_of
from dlint.fork.ways.run_by import run_by
from dlint.fork.ways.surely import starts_as_none
from dlint.regex import regex
from dlint.source.statements import FunctionNode, own_names, own_nodes, parameters, statements_in
from dlint.values.frame import Arguments, Frame, Point, layout_of
from dlint.values.methods import is_cached
from dlint.values.values import Function, Instance, Made
from dlint.values.worlds import HERE
from dlint.workers.events import Visit, linked

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.knowledge.processes.handles import Handle
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode

_ASKED = regex(r"\bnot hasattr\(self, ['\"](\w+)['\"]\)|\bgetattr\(self, ['\"](\w+)['\"], None\)")


class Opened(NamedTuple):
    """A handle, what makes it, the function of worker code that needs it, the attribute, and the function
    that opens it when it is first needed."""

    handle: Handle
    made: Made
    visit: Visit
    name: str
    opener: ast.AST


def opened_in(program: Program, owner: Instance, visits: list[Visit]) -> Iterator[Opened]:
    """The handles that methods open and keep where there was none, with the attributes' names."""
    for visit in visits:
        node = visit.function.node
        if isinstance(node, FunctionNode) and is_cached(node):
            for statement in statements_in(node.body):
                if isinstance(statement, ast.Return) and statement.value is not None:
                    for value, _ in program.evaluator.values(statement.value, Point(visit.frame, statement)):
                        handle = handle_of(program.evaluator, value)
                        if handle is not None and isinstance(value, Made):
                            yield Opened(handle, value, visit, node.name, node)
        prefix = path_of(visit, "")
        for path in sorted(visit.frame.layout.binds):
            name = path.removeprefix(prefix)
            if name == path or "." in name:
                continue
            if not (starts_as_none(program.evaluator, owner, name) or _is_asked_for(program, visits, visit)):
                continue
            for value, _ in program.evaluator.attributes.held(owner, name, HERE):
                handle = handle_of(program.evaluator, value)
                if (
                    handle is not None
                    and isinstance(value, Made)
                    and _is_stored_by(program, visit, path, value)
                ):
                    yield Opened(handle, value, visit, name, node)


def _is_stored_by(program: Program, visit: Visit, path: str, made: Made) -> bool:
    """Whether a method stores a handle that it opens itself, or by another function (``self._open()``)."""
    node, evaluator = visit.function.node, program.evaluator
    if made.point.frame.scope is node:
        return True
    return isinstance(node, FunctionNode) and any(
        isinstance(value, Made) and value.node is made.node
        for statement in statements_in(node.body)
        if path in own_names(statement)
        for value, _ in evaluator.names.defined(statement, path, visit.frame, HERE)
    )


def asked_for_by_others(
    program: Program, owner: Instance, code: WorkerCode, visits: list[Visit]
) -> list[Visit]:
    """The properties of an object that open something when first needed and that none of its methods in
    worker code reads, but other worker code does (``self.archive.handle.read(name)``)."""
    evaluator = program.evaluator
    seen = {id(visit.function.node) for visit in visits}
    getters = {
        name: [(getter, cls) for getter, cls in found if id(getter.node) not in seen and _keeps(getter.node)]
        for name, found in evaluator.classes.properties(owner.cls).items()
    }
    found: dict[int, Visit] = {}
    for visit in code.visits if any(getters.values()) else ():
        for node, point in _asking(visit, getters.keys()):
            if any(value.key == owner.key for value, _ in evaluator.values(node.value, point, visit.world)):
                for getter, cls in getters[node.attr]:
                    bound = Function(getter.node, getter.frame, owner, cls)
                    frame = evaluator.calls.enter(bound, Arguments(), node, point)
                    link = linked(bound, point, node, visit)
                    found.setdefault(id(bound.node), Visit(bound, frame, visit.world, link, visit.role))
    return list(found.values())


def _keeps(getter: FunctionNode | ast.Lambda) -> bool:
    """Whether a property keeps something, in an attribute or by its decorator."""
    return is_cached(getter) or any("." in path for path in layout_of(getter).binds)


def _asking(visit: Visit, names: Container[str]) -> Iterator[tuple[ast.Attribute, Point]]:
    """Where a function reads attributes of some names."""
    node = visit.function.node
    for statement in statements_in(node.body) if isinstance(node, FunctionNode) else ():
        for each in own_nodes(statement):
            if isinstance(each, ast.Attribute) and each.attr in names and isinstance(each.ctx, ast.Load):
                yield each, Point(visit.frame, statement)


def _is_asked_for(program: Program, visits: list[Visit], opener: Visit) -> bool:
    """Whether worker code opens a handle only where the object has none yet, ``if not hasattr(self, "file")``
    or ``if getattr(self, "file", None) is None``, or asks the same about what the method stores beside it."""
    beside = [path.partition(".")[2] for path in opener.frame.layout.binds if "." in path]
    return any(not _asked_in(program, visit).isdisjoint(beside) for visit in visits)


def _asked_in(program: Program, visit: Visit) -> frozenset[str]:
    """The attributes of which a function asks whether its object has them."""
    node = visit.function.node
    mark = ("asks whether it has", id(node))
    if mark not in program.answers:
        found = _ASKED.findall(visit.function.module.text_of(node))
        program.answers[mark] = (node, frozenset(lacking or got for lacking, got in found))
    answer: frozenset[str] = program.answers[mark][1]
    return answer


def path_of(visit: Visit, name: str) -> str:
    """``self.name`` as a method calls it."""
    own = parameters(visit.function.node)[:1]
    return f"{own[0].arg if own else 'self'}.{name}"


def bound_names(visits: Iterable[Visit]) -> set[str]:
    """The attributes that methods bind, of what they call their object."""
    found: set[str] = set()
    for visit in visits:
        prefix = path_of(visit, "")
        found.update(path[len(prefix) :] for path in visit.frame.layout.binds if path.startswith(prefix))
    return found


def parent_run(program: Program, frames: list[Frame], but: frozenset[int] = frozenset()) -> list[Frame]:
    """What the parent runs from some frames on, ``but`` some functions (by id of their node), found once."""
    mark = ("run by", tuple(frame.key for frame in frames), but)
    if mark not in program.answers:
        program.answers[mark] = run_by(program.evaluator, frames, but=but)
    run: list[Frame] = program.answers[mark]
    return run


def is_opened_by(program: Program, opened: Opened, owner: Instance, frames: list[Frame]) -> bool:
    """Whether what the parent runs opens a handle of an object, and nothing there lets go of it."""
    evaluator, scope, name = program.evaluator, opened.opener, opened.name
    run, drops = parent_run(program, frames), drops_of(name)
    if not _is_run(scope, owner, run):
        return False
    makers = {id(frame.scope) for _, frame in evaluator.initialisers.of(owner)}
    runs = {frame.scope.name for frame in run if isinstance(frame.scope, FunctionNode)} - {"__init__"}
    again = [frame for frame in run if id(frame.scope) in makers and _lets_go_at_last(frame, runs, drops)]
    if again:
        run = parent_run(program, frames, frozenset(id(frame.scope) for frame in again))
    return _is_run(scope, owner, run) and not any(
        id(frame.scope) not in makers and drops.search(frame.module.text_of(frame.scope)) for frame in run
    )


def _is_run(scope: ast.AST, owner: Instance, run: list[Frame]) -> bool:
    """Whether a function is among those that are run, as a method of an object."""
    return any(frame.scope is scope and is_of(frame, owner) for frame in run)


def is_cached_by_constructor(program: Program, opened: Opened, owner: Instance) -> bool:
    """Whether the constructor of an object surely asks for a handle that a decorator keeps, and what it runs
    does not let go of it."""
    evaluator, scope, name = program.evaluator, opened.visit.function.node, opened.name
    if not is_cached(scope):
        return False
    run = run_by(evaluator, [frame for _, frame in evaluator.initialisers.of(owner)], surely=True)
    if not _is_run(scope, owner, run):
        return False
    drops = drops_of(name)
    return not any(
        drops.search(frame.module.text_of(frame.scope)) or _takes_away(frame, name) for frame in run
    )


def _takes_away(frame: Frame, name: str) -> bool:
    """Whether a statement of a function closes what goes by a name, or deletes it."""
    body = frame.scope.body if isinstance(frame.scope, FunctionNode) else []
    return any(taken == name for statement in statements_in(body) for _, taken in taken_away(statement, body))


def _lets_go_at_last(maker: Frame, runs: set[str], drops: re.Pattern[str]) -> bool:
    """Whether a constructor lets go of something behind its last call of some methods: what it says before
    is what it begins with."""
    text = maker.module.text_of(maker.scope)
    called = re.compile(rf"\.(?:{'|'.join(map(re.escape, sorted(runs)))})\b|\b(?:len|next|iter)\(self\)")
    last = max((found.start() for found in called.finditer(text)), default=None)
    return last is not None and any(found.start() > last for found in drops.finditer(text))


def use_that_opens(program: Program, use: WorkerUse, opened: Opened, owner: Instance) -> Used | None:
    """What the parent does with a dataset, or what it holds, before workers start, that opens a handle."""
    scope, name = opened.opener, opened.name
    parts = [part.value for part in program.shipped(use)]
    owners = [each for each in parts if isinstance(each, Instance) and each.cls.node is owner.cls.node]
    for used in used_before(program, use, {getattr(scope, "name", name)}, drops_of(name)):
        if any(
            frame.scope is scope and is_one_of(program.evaluator, frame.receiver, owners)
            for frame in used.run
        ):
            return used
    return None


def is_of(frame: Frame, owner: Instance) -> bool:
    """Whether a frame is one of a method of an object."""
    return isinstance(frame.receiver, Instance) and frame.receiver.key == owner.key
