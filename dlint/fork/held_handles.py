"""What the attributes of an object hold: handles alone, in a list or dict, or parts of one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from dlint.fork.early.opened_late import is_of, parent_run, path_of
from dlint.fork.handles import handle_of
from dlint.fork.kept.by_key import drops_by_key
from dlint.fork.program import Program
from dlint.fork.ways.run_by import run_by
from dlint.fork.ways.surely import is_by_key, is_empty, is_sure
from dlint.knowledge.processes.handles import EACH, METHODS, PARTS, READ_THROUGH, READS_ON
from dlint.regex import regex
from dlint.source.nodes import is_text
from dlint.source.statements import (
    FunctionNode,
    changed_names,
    dotted,
    functions_in,
    own_names,
    parameters,
    statements_in,
)
from dlint.values.frame import Arguments, Frame, Point, layout_of
from dlint.values.values import Instance, Items, Made, Table, Value
from dlint.values.worlds import HERE, World
from dlint.workers.repetition import is_only_where_none

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.outcomes import Outcome
    from dlint.workers.events import Visit

# ``under a key``: there was nothing yet under that, and other processes may need others.
# ``read through``: by another thing that it is given to, ``csv.reader(file)``.
How = Literal["alone", "among others", "under a key", "a part of it", "read through"]
_OF_ARRAYS = frozenset({"astype", "dtype", "fields", "shape"})
# So many names one after the other.
_FAR = 4
# A constructor that closes what it has opened may have closed what a container holds.
_LETS_GO = regex(r"\.(?:close|release|clear)\(")


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
                if not _LETS_GO.search(point.frame.module.text_of(point.frame.scope)):
                    yield from (Held(name, item, "among others", w) for item in _inside(value))
            else:
                yield Held(name, value, "alone", w)
                for whole, there in _taken_elsewhere(evaluator, value, point, w):
                    yield Held(name, whole, "a part of it", there)
                for whole, there in _read_through(evaluator, value, point, w):
                    yield Held(name, whole, "read through", there)
        for value, w in _taken_from(evaluator, getattr(point.statement, "value", None), point, world):
            yield Held(name, value, "a part of it", w)
    yield from _put_by_constructor(evaluator, owner, names)
    yield from _put_in(program, owner, names)


def keeps_part(program: Program, owner: Instance, handle: Made) -> bool:
    """Whether an object keeps, once it is made, a part of a handle as well, read by workers or not."""
    evaluator = program.evaluator
    return any(
        value.key == handle.key
        for _, _, point, world in evaluator.construction.stores(owner, HERE)
        for value, _ in _taken_from(evaluator, getattr(point.statement, "value", None), point, world)
    )


def _put_by_constructor(evaluator: Evaluator, owner: Instance, names: set[str]) -> Iterator[Held]:
    """The handles of which a constructor puts a part into a list or dict of the object, one after the other
    (``self.images.append(file["images"])``); and those that it puts into a dict that keeps its order, of
    which no more is known."""
    for _, frame in evaluator.initialisers.of(owner):
        scope = frame.scope
        if not isinstance(scope, FunctionNode) or _LETS_GO.search(frame.module.text_of(scope)):
            continue
        for statement in statements_in(scope.body):
            put = _stored_into(statement) or _lengthened(statement)
            if put is None or put[0].attr not in names or not _is_own(put[0], frame):
                continue
            at, name = Point(frame, statement), put[0].attr
            for world in evaluator.flow.reaching(at, HERE):
                for value, w in _taken_from(evaluator, put[1], at, world):
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
            return (dotted(made) or "").rpartition(".")[2] == "OrderedDict"
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
    if any(_LETS_GO.search(frame.module.text_of(frame.scope)) for frame in own):
        return
    for frame in own[len(begun) :]:
        for statement in statements_in(frame.scope.body) if isinstance(frame.scope, FunctionNode) else ():
            put = _stored_into(statement)
            if put is None or put[0].attr not in names or not _is_own(put[0], frame):
                continue
            at = Point(frame, statement)
            name = put[0].attr
            if not (is_sure(evaluator, at) and _is_made_empty(name, own, len(begun))):
                continue
            how: How = "under a key" if is_by_key(at) else "among others"
            if how == "among others" or not _is_dropped(program, owner, name, begun):
                yield from (Held(name, value, how, world) for value, world in evaluator.values(put[1], at))


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
            if (put := _stored_into(statement)) is not None
        }
    into: set[str] = answers[_puts_in]
    return not into.isdisjoint(names)


def _stored_into(statement: ast.stmt) -> tuple[ast.Attribute, ast.expr] | None:
    """The attribute into which a statement stores, and what: ``self.files[band] = ...``."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Attribute() as held)], value=value):
            return held, value
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Attribute() as held, attr="append"), args=[value])
        ):
            return held, value
    return None


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


def _is_own(held: ast.Attribute, frame: Frame) -> bool:
    own = parameters(frame.scope)[:1] if isinstance(frame.scope, FunctionNode) else []
    return isinstance(held.value, ast.Name) and bool(own) and held.value.id == own[0].arg


def is_released(made: Made, name: str) -> bool:
    """Whether what opens a handle for an attribute lets go of it again: OpenCV's object stays."""
    frame = made.point.frame
    return f".{name}.release()" in frame.module.text_of(frame.scope)


def keeps_what_is_there(visit: Visit, name: str) -> bool:
    """Whether a method that binds an attribute does so only where nothing is there yet, in any process."""
    node = visit.function.node
    return not isinstance(node, ast.Lambda) and all(
        is_only_where_none(statement, Point(visit.frame, statement))
        for statement in statements_in(node.body)
        if path_of(visit, name) in {*own_names(statement), *changed_names(statement)}
    )


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


def _inside(container: Items | Table) -> Iterator[Value]:
    """What a container holds, at most one container further down."""
    for item in _contents(container):
        yield from _contents(item) if isinstance(item, Items | Table) else (item,)


def _contents(container: Items | Table) -> list[Value]:
    return list(container.items.values() if isinstance(container, Table) else container.items)


def _taken_from(evaluator: Evaluator, node: ast.expr | None, point: Point, world: World) -> Iterator[Outcome]:
    """The handles of which an expression takes a part, or each thing in a list or dict that it writes out."""
    kept = [] if node is None else [(node, point)]
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            for part, wanted in ((body, True), (orelse, False)):
                for assumed in evaluator.assume(test, wanted, point, world):
                    yield from _taken_from(evaluator, part, point, assumed)
            return
        case ast.Dict(values=inner) | ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Set(elts=inner):
            kept = [(each, point) for each in inner]
        case ast.DictComp(value=each) | ast.ListComp(elt=each) | ast.SetComp(elt=each):
            kept = [(each, evaluator.inside(node, point))]
    if kept[:1] != [(node, point)] and _LETS_GO.search(point.frame.module.text_of(point.frame.scope)):
        return
    for each, at in kept:
        # Beside its name, or what else belongs to it: ``[(path, file["images"]) for ...]``.
        for part in each.elts if isinstance(each, ast.Tuple) else [each]:
            yield from _wholes(evaluator, part, at, world)


def _taken_elsewhere(evaluator: Evaluator, value: Value, point: Point, world: World) -> Iterator[Outcome]:
    """The handle of which a value is a part that another function has taken: ``return env, env.begin()``."""
    if not isinstance(value, Made) or value.point.frame.scope is point.frame.scope:
        return
    if isinstance(value.node, ast.Call) and _part(value.node) is not None:
        yield from _wholes(evaluator, value.node, value.point, world)


def _read_through(evaluator: Evaluator, value: Value, point: Point, world: World) -> Iterator[Outcome]:
    """The file that another object reads on, and nobody closes: ``csv.reader(file)``."""
    if isinstance(value, Made) and value.name in READ_THROUGH:
        for argument in value.arguments.positional[:1]:
            for whole, w in evaluator.value_of(argument, world):
                if handle_of(evaluator, whole) is not None and not _is_closed(whole, point):
                    yield whole, w


def _wholes(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> Iterator[Outcome]:
    """The handles of which an expression takes a part, be it a part of a part."""
    taken: set[str] = set()
    node, point = _behind(evaluator, node, point, world, taken)
    while (part := _part(node)) is not None:
        node, method, by_name = part
        taken.add(method)
        wholes = [
            (value, w)
            for value, w in evaluator.values(node, point, world)
            if (handle := handle_of(evaluator, value)) is not None
            and taken.issubset(handle.parts)
            and not _is_closed(value, point)
        ]
        yield from wholes
        if not (wholes or by_name):
            return  # a number, of an array
        node, point = _behind(evaluator, node, point, world, taken)


def _is_closed(handle: Value, point: Point) -> bool:
    """Whether the function that takes a part of a handle closes it, which the part may open anew to be read:
    by a ``with`` or by its name."""
    if not isinstance(handle, Made) or handle.point.frame.scope is not point.frame.scope:
        return False
    match handle.point.statement:
        case ast.With():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return re.search(rf"\b{name}\.close\(", point.frame.module.text_of(point.frame.scope)) is not None
    return False


def _behind(
    evaluator: Evaluator, node: ast.expr, point: Point, world: World, taken: set[str]
) -> tuple[ast.expr, Point]:
    """What a function's own name stands for, and where that was written: ``group = file["events"]``, or what
    a loop goes through to bind it, which is noted as taken. A name that is used as only an array can be is
    left as it is: what it gives under a name was read."""
    for _ in range(_FAR):
        if not isinstance(node, ast.Name) or node.id in point.locals or _is_array(node.id, point):
            break
        stored = [each for each, _ in evaluator.flow.definitions(node.id, point, world)]
        match stored:
            case [ast.Assign(targets=[ast.Name()], value=value) as statement]:
                node, point = value, Point(point.frame, statement)
            case [ast.For(target=ast.Name(), iter=value) as statement]:
                taken.add(EACH)
                node, point = value, Point(point.frame, statement)
            case _:
                break
    return node, point


def _is_array(name: str, point: Point) -> bool:
    """Whether a function takes slices of a name, or asks for the shape of what it stands for."""
    for node in point.frame.layout.nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=asked), attr=attr) if asked == name and attr in _OF_ARRAYS:
                return True
            case ast.Subscript(value=ast.Name(id=asked), slice=ast.Slice() | ast.Tuple()) if asked == name:
                return True
    return False


def _part(node: ast.expr | None) -> tuple[ast.expr, str, bool] | None:
    """What an expression takes a part of, how, and whether surely by a name, as a file's parts always are:
    ``file["images"]``, ``file.get("images")``, ``file.variables["t"]``, ``connection.cursor()``,
    ``next(s for s in container.streams if s.type == "video")``."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=whole, attr=under), slice=key) if under in PARTS:
            return whole, under, under not in METHODS or is_text(key)
        case (
            ast.Call(func=ast.Name(id="next"), args=[ast.GeneratorExp() as made, *_])
            | ast.Subscript(value=ast.ListComp() as made)
        ) if (sieved := _sieved(made)) is not None:
            return sieved, EACH, True
        case ast.Subscript(value=whole, slice=key):
            return whole, "[]", is_text(key)
        case ast.Call(func=ast.Attribute(value=whole, attr=method), args=given) if method in PARTS:
            return whole, method, method != "get" or (bool(given) and is_text(given[0]))
        case ast.Attribute(value=whole, attr=under) if under in PARTS - METHODS:
            return whole, under, True
    return None


def _sieved(made: ast.GeneratorExp | ast.ListComp) -> ast.expr | None:
    """What a comprehension goes through that gives each thing as it is, or leaves it out."""
    match made:
        case (
            ast.GeneratorExp(elt=ast.Name(id=given), generators=[each])
            | ast.ListComp(elt=ast.Name(id=given), generators=[each])
        ) if isinstance(each.target, ast.Name) and each.target.id == given:
            return each.iter
    return None
