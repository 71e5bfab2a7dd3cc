"""What the attributes of an object hold once it is made: handles alone, in a list or dict, or parts of one;
and how workers read what is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from dlint.fork.early.opened_late import is_of, parent_run, path_of
from dlint.fork.kept.by_key import drops_by_key
from dlint.fork.kept.parts import LETS_GO, read_through, taken_elsewhere, taken_from
from dlint.fork.program import Program
from dlint.fork.ways.run_by import run_by
from dlint.fork.ways.surely import is_by_key, is_empty, is_sure
from dlint.knowledge.processes.handles import READS_ON
from dlint.source.statements import (
    FunctionNode,
    changed_names,
    functions_in,
    last_name,
    own_names,
    parameters,
    statements_in,
)
from dlint.values.frame import Arguments, Frame, Point, layout_of
from dlint.values.places import tests_around
from dlint.values.values import Instance, Items, Made, Table, Value
from dlint.values.worlds import HERE, World
from dlint.workers.repetition import is_only_where_none

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Visit

# ``under a key``: there was nothing yet under that, and other processes may need others.
# ``read through``: by another thing that it is given to, ``csv.reader(file)``.
How = Literal["alone", "among others", "under a key", "a part of it", "read through"]


class Held(NamedTuple):
    """What an attribute of an object holds once it is made, how, and what is so where it does."""

    name: str
    value: Value
    how: How
    world: World


def held(program: Program, owner: Instance, names: set[str]) -> list[Held]:
    """What the attributes of an object hold once it is made; for a part of a handle
    (``self.file["images"]``), the handle. Many datasets may have one object: found once."""
    mark = ("held", owner.key, frozenset(names))
    if mark not in program.answers:
        program.evaluator.start()  # else what has been asked before decides what is found here
        program.answers[mark] = list(_held(program, owner, names))
    found: list[Held] = program.answers[mark]
    return found


def _held(program: Program, owner: Instance, names: set[str]) -> Iterator[Held]:
    evaluator = program.evaluator
    for name, path, point, world in evaluator.construction.stores(owner, HERE, names):
        assert point.statement is not None
        for value, w in evaluator.names.defined(point.statement, path, point.frame, world):
            if isinstance(value, Items | Table):
                if not LETS_GO.search(point.frame.module.text_of(point.frame.scope)):
                    yield from (Held(name, item, "among others", w) for item in _inside(value))
            else:
                yield Held(name, value, "alone", w)
                for whole, there in taken_elsewhere(evaluator, value, point, w):
                    yield Held(name, whole, "a part of it", there)
                for whole, there in read_through(evaluator, value, point, w):
                    yield Held(name, whole, "read through", there)
        for value, w in taken_from(evaluator, getattr(point.statement, "value", None), point, world):
            yield Held(name, value, "a part of it", w)
    yield from _put_by_constructor(evaluator, owner, names)
    yield from _put_in(program, owner, names)


def keeps_part(program: Program, owner: Instance, handle: Made) -> bool:
    """Whether an object keeps, once it is made, a part of a handle as well, read by workers or not."""
    evaluator = program.evaluator
    return any(
        value.key == handle.key
        for _, _, point, world in evaluator.construction.stores(owner, HERE)
        for value, _ in taken_from(evaluator, getattr(point.statement, "value", None), point, world)
    )


def _put_by_constructor(evaluator: Evaluator, owner: Instance, names: set[str]) -> Iterator[Held]:
    """The handles of which a constructor puts a part into a list or dict of the object, one after the other
    (``self.images.append(file["images"])``); and those that it puts into a dict that keeps its order, of
    which no more is known."""
    for _, frame in evaluator.initialisers.of(owner):
        scope = frame.scope
        if not isinstance(scope, FunctionNode) or LETS_GO.search(frame.module.text_of(scope)):
            continue
        for statement in statements_in(scope.body):
            put = stored_into(statement) or _lengthened(statement)
            if put is None or put[0].attr not in names or not is_own(put[0], frame):
                continue
            at, name = Point(frame, statement), put[0].attr
            for world in evaluator.flow.reaching(at, HERE):
                for value, w in taken_from(evaluator, put[1], at, world):
                    yield Held(name, value, "a part of it", w)
                if _is_in_order(name, scope):
                    yield from (
                        Held(name, value, "among others", w)
                        for value, w in evaluator.values(put[1], at, world)
                    )


def _lengthened(statement: ast.stmt) -> tuple[ast.Attribute, ast.expr] | None:
    """The attribute to whose list a statement adds things, and these as they are written out."""
    match statement:
        case ast.AugAssign(target=ast.Attribute() as held, op=ast.Add(), value=ast.List() as added):
            return held, added
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Attribute() as held, attr="extend"), args=[ast.List() as added]
            )
        ):
            return held, added
    return None


def _is_in_order(name: str, scope: FunctionNode) -> bool:
    """Whether a constructor binds an attribute once, to an empty ``OrderedDict()``."""
    match [each for each in statements_in(scope.body) if _binds(each, name)]:
        case [ast.Assign(value=ast.Call(func=made, args=[]))]:
            return last_name(made) == "OrderedDict"
    return False


def _binds(statement: ast.stmt, name: str) -> bool:
    return any(path.partition(".")[2] == name for path in own_names(statement))


def _put_in(program: Program, owner: Instance, names: set[str]) -> Iterator[Held]:
    """What methods that the constructor surely calls put into containers of the object that it makes before
    (``self.files[band] = ...``), where nothing there lets go of anything."""
    evaluator = program.evaluator
    if not any(_puts_in(above.node, names) for above in evaluator.classes.line(owner.cls)):
        return
    begun = [frame for _, frame in evaluator.initialisers.of(owner)]
    own = [frame for frame in run_by(evaluator, begun, surely=True) if is_of(frame, owner)]
    if any(LETS_GO.search(frame.module.text_of(frame.scope)) for frame in own):
        return
    for frame in own[len(begun) :]:
        for statement in statements_in(frame.scope.body) if isinstance(frame.scope, FunctionNode) else ():
            put = stored_into(statement)
            if put is None or put[0].attr not in names or not is_own(put[0], frame):
                continue
            at = Point(frame, statement)
            name = put[0].attr
            if not (is_sure(evaluator, at) and _is_made_empty(name, own, len(begun))):
                continue
            how: How = "under a key" if is_by_key(at) else "among others"
            if how == "among others" or not _is_dropped(program, owner, name, begun):
                yield from (
                    Held(name, each, how, world)
                    for value, world in evaluator.values(put[1], at)
                    for each in things_in(value)
                )


def _is_dropped(program: Program, owner: Instance, name: str, begun: list[Frame]) -> bool:
    """Whether what a constructor may run empties a container, or a method does that somebody calls."""
    evaluator, drops = program.evaluator, drops_by_key(name)
    if any(drops.search(frame.module.text_of(frame.scope)) for frame in parent_run(program, begun)):
        return True
    dropping = [
        function.name
        for above in evaluator.classes.line(owner.cls)
        for function in functions_in(above.node.body)
        if drops.search(above.module.text_of(function))
    ]
    return any(
        evaluator.sites.of(method.node, evaluator.calls.enter(method, Arguments(), None, None))
        for each in dropping
        for method in evaluator.classes.methods(owner, each)
        if isinstance(method.node, FunctionNode)
    )


def _puts_in(node: ast.ClassDef, names: set[str]) -> bool:
    """Whether methods of a class besides its constructor put anything into attributes of some names."""
    answers = layout_of(node).answers
    if _puts_in not in answers:
        answers[_puts_in] = {
            put[0].attr
            for function in functions_in(node.body)
            if function.name != "__init__"
            for statement in statements_in(function.body)
            if (put := stored_into(statement)) is not None
        }
    into: set[str] = answers[_puts_in]
    return not into.isdisjoint(names)


def stored_into(statement: ast.stmt) -> tuple[ast.Attribute, ast.expr] | None:
    """The attribute into which a statement stores, be it into a container that is there, and what:
    ``self.files[band] = ...``, ``self.files[part].append(...)``."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=into)], value=value):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=into, attr="append"), args=[value])):
            pass
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=into, attr="update"), args=[ast.Dict(keys=[_], values=[value])]
            )
        ):
            pass
        case _:
            return None
    held = into.value if isinstance(into, ast.Subscript) else into
    return (held, value) if isinstance(held, ast.Attribute) else None


def _is_made_empty(name: str, run: list[Frame], constructors: int) -> bool:
    """Whether of what makes an object only a constructor binds an attribute: to a dict or list of its own."""
    binding = [
        (at < constructors, statement)
        for at, frame in enumerate(run)
        if isinstance(frame.scope, FunctionNode)
        for statement in statements_in(frame.scope.body)
        if _binds(statement, name)
    ]
    match binding:
        case [(True, ast.Assign(value=made))]:
            return is_empty(made)
    return False


def is_own(held: ast.Attribute, frame: Frame) -> bool:
    own = parameters(frame.scope)[:1] if isinstance(frame.scope, FunctionNode) else []
    return isinstance(held.value, ast.Name) and bool(own) and held.value.id == own[0].arg


def is_released(made: Made, name: str) -> bool:
    """Whether what opens a handle for an attribute lets go of it again: OpenCV's object stays."""
    frame = made.point.frame
    return f".{name}.release()" in frame.module.text_of(frame.scope)


def keeps_what_is_there(visit: Visit, name: str) -> bool:
    """Whether a method that binds an attribute does so only where nothing is there yet, in any process, or is
    called there alone."""
    node = visit.function.node
    return not isinstance(node, ast.Lambda) and (
        all(
            is_only_where_none(statement, Point(visit.frame, statement))
            for statement in statements_in(node.body)
            if path_of(visit, name) in {*own_names(statement), *changed_names(statement)}
        )
        or (
            bool(visit.callers)
            and all(
                point is not None
                and any(_says_none(test, wanted, name) for test, wanted, _ in tests_around(point))
                for point in visit.callers.values()
            )
        )
    )


def _says_none(test: ast.expr, wanted: bool, name: str) -> bool:
    """Whether a test comes out as ``wanted`` only where an attribute holds nothing yet."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _says_none(operand, not wanted, name)
        case ast.BoolOp(op=op, values=values):
            found = [_says_none(value, wanted, name) for value in values]
            return any(found) if isinstance(op, ast.And) is wanted else all(found)
        case ast.Compare(
            left=ast.Attribute(attr=asked)
            | ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=asked), *_]),
            ops=[operator],
            comparators=[ast.Constant(value=None)],
        ):
            return asked == name and isinstance(
                operator, ast.Is | ast.Eq if wanted else ast.IsNot | ast.NotEq
            )
        case (
            ast.Attribute(attr=asked)
            | ast.Call(func=ast.Name(id="hasattr"), args=[_, ast.Constant(value=asked)])
        ):
            return asked == name and not wanted
    return False


def only_by_number(visits: list[Visit], name: str) -> bool:
    """Whether worker code only takes a file's number, for os.pread, which needs no position."""
    texts = [visit.function.module.text_of(visit.function.node) for visit in visits]
    return any("pread(" in text for text in texts) and all(
        text.count(f".{name}.fileno()") == len(re.findall(rf"\.{name}\b", text)) for text in texts
    )


def read_on(visits: list[Visit], name: str) -> bool:
    """Whether worker code reads from a descriptor where others have left it, and not by ``os.pread``."""
    reads = re.compile(rf"{READS_ON}\s*\w+\.{name}\b")
    return any(reads.search(visit.function.module.text_of(visit.function.node)) for visit in visits)


def things_in(value: Value) -> Iterator[Value]:
    """A value, or what it holds, where it is a container: ``{"file": open(path), "size": 3}``."""
    yield from _inside(value) if isinstance(value, Items | Table) else (value,)


def _inside(container: Items | Table) -> Iterator[Value]:
    """What a container holds, at most one container further down."""
    for item in _contents(container):
        yield from _contents(item) if isinstance(item, Items | Table) else (item,)


def _contents(container: Items | Table) -> list[Value]:
    return list(container.items.values() if isinstance(container, Table) else container.items)
