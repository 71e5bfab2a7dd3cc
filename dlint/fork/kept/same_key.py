"""Whether the parent keeps a handle under the key under which workers look for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.kept.by_key import KeptByKey, drops_by_key, is_parameter, keys_of
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, last_name, parameters, statements_in
from dlint.values.frame import Argument, Frame, Point, given_to
from dlint.values.places import loops_around
from dlint.values.values import Const, Key, Made, Unknown, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# So many names, calls and subscripts one after the other.
_FAR = 6
_ITEM = ("the number of an item",)


class _Taken(NamedTuple):
    """What something is taken ``of``, as far as is known, and under which keys, one after the other."""

    of: frozenset[Key]
    path: tuple[Key, ...]

    def at(self, *places: Key) -> _Taken:
        return _Taken(self.of, (*self.path, *places))


def is_kept_by(evaluator: Evaluator, kept: KeptByKey, run: list[Frame]) -> bool:
    """Whether functions that the parent runs keep a handle under the same key, and none lets go of it."""
    function = kept.visit.function
    same = [
        frame
        for frame in run
        if frame.scope is function.node and (not kept.own or _receiver(frame) == _receiver(kept.visit.frame))
    ]
    drops = drops_by_key(kept.place.rpartition(".")[2])
    texts = {id(frame.scope): frame.module.text_of(frame.scope) for frame in run}
    if id(function.node) in texts:
        texts[id(function.node)] = _text_without_bound(kept)
    if not same or any(drops.search(text) for text in texts.values()) or _is_made_again(kept, texts.values()):
        return False
    parts = _parts(kept)
    whole = len(parts) == 1
    return any(all(_is_wanted(evaluator, kept, part, frame, whole) for part in parts) for frame in same)


def _text_without_bound(kept: KeptByKey) -> str:
    """The text of the function that keeps a handle, but for what makes room for it in a dict that has grown
    to its bound: the handle is there afterwards."""
    function, word = kept.visit.function, kept.place.rpartition(".")[2]
    lines, first = function.module.text_of(function.node).split("\n"), function.node.lineno
    for statement in statements_in(kept.visit.frame.layout.body):
        match statement:
            case ast.If(
                test=ast.Compare(
                    left=ast.Call(func=ast.Name(id="len"), args=[held]), ops=[ast.Gt() | ast.GtE()]
                ),
                orelse=[],
                end_lineno=end,
            ) if last_name(held) == word and (end or 0) < kept.statement.lineno:
                for at in range(statement.lineno - first, (end or 0) - first + 1):
                    lines[at] = ""
    return "\n".join(lines)


def _parts(kept: KeptByKey) -> list[ast.expr | None]:
    """The parts of a key: ``(episode, camera)``, be it that a variable stands for them."""
    key = kept.key
    if isinstance(key, ast.Name):
        match kept.visit.frame.layout.binders(key.id):
            case [ast.Assign(targets=[ast.Name()], value=ast.Tuple() as made)]:
                key = made
    return list(key.elts) if isinstance(key, ast.Tuple) else [key]


def _is_wanted(
    evaluator: Evaluator, kept: KeptByKey, part: ast.expr | None, frame: Frame, whole: bool
) -> bool:
    """Whether what a part of the key, or the ``whole``, is in a frame of the parent, it is in workers too."""
    wanted = keys_of(evaluator, part, Point(kept.visit.frame, kept.statement))
    theirs = {value.key for value in wanted}
    any_number = whole and any(isinstance(value, Unknown | Made) for value in wanted)
    if any(
        value.key in theirs or (any_number and _is_number(value, frame))
        for value in keys_of(evaluator, part, Point(frame, kept.statement))
    ):
        return True
    first = parameters(frame.scope)[:1] if isinstance(frame.scope, FunctionNode) else []
    if part is None and first:
        part = ast.Name(first[0].arg, ast.Load())  # what a cached function is given
    return isinstance(part, ast.Name) and (
        _is_one_of_all(evaluator, part.id, frame, kept.visit.frame)
        or _is_of_some_item(evaluator, part, Point(frame, kept.statement), kept)
    )


def _is_one_of_all(evaluator: Evaluator, name: str, frame: Frame, inside: Frame) -> bool:
    """Whether the parent gives a parameter one of some things (``cameras[0]``), of which workers give it one
    after the other."""
    one, each = given_to(frame, name), given_to(inside, name)
    if one is None or each is None or one.point is None or each.point is None:
        return False
    match one.expression, each.expression:
        case ast.Subscript(value=held, slice=ast.Constant(value=int())), ast.Name(id=variable):
            some = {value.key for value, _ in evaluator.values(held, one.point)}
            at = Point(each.point.frame, each.point.statement)
            return any(
                value.key in some
                for gone_through in _gone_through(variable, at)
                for value, _ in evaluator.values(gone_through, at)
            )
    return False


def _is_of_some_item(evaluator: Evaluator, part: ast.Name, one: Point, kept: KeptByKey) -> bool:
    """Whether the parent asks for what stands at a place (``self.places[0][0]``) at which workers ask for
    what stands there of each item (``path, offset = self.places[index]``)."""
    each = _taken(evaluator, part, Point(kept.visit.frame, kept.statement))
    if _ITEM not in each.path:
        return False
    its = _taken(evaluator, part, one)
    return (
        len(its.path) == len(each.path)
        and all(theirs in (its_own, _ITEM) for its_own, theirs in zip(its.path, each.path, strict=True))
        and not its.of.isdisjoint(each.of)
    )


def _taken(evaluator: Evaluator, node: ast.expr, point: Point, far: int = _FAR) -> _Taken:
    """What an expression is taken out of, and where it stands there."""
    match node:
        case ast.Subscript(value=held, slice=ast.Constant(value=key)) if far:
            return _taken(evaluator, held, point, far - 1).at(key)
        case ast.Subscript(value=held, slice=ast.Name(id=index)) if far and _is_plain(index, point):
            return _taken(evaluator, held, point, far - 1).at(_ITEM)
        case ast.Name(id=name) if far and name in point.locals:
            return _each(evaluator, point.locals[name], far - 1) or _known(evaluator, node, point)
        case ast.Name(id=name) if far and _is_plain(name, point):
            given = given_to(point.frame, name)
            if given is not None and given.expression is not None and given.point is not None:
                if given.element:
                    return _each(evaluator, given, far - 1) or _known(evaluator, node, point)
                return _taken(evaluator, given.expression, given.point, far - 1)
        case ast.Name(id=name) if far:
            match [statement for statement, _ in evaluator.flow.definitions(name, point, HERE)]:
                case [ast.Assign(targets=[target], value=value) as statement]:
                    place = _place(target, name)
                    if place is not None:
                        return _taken(evaluator, value, Point(point.frame, statement), far - 1).at(*place)
                case [ast.For(target=target, iter=held) as statement]:
                    place = _place(target, name)
                    if place is not None:
                        at = Point(point.frame, statement)
                        return _taken(evaluator, held, at, far - 1).at(_ITEM, *place)
    return _known(evaluator, node, point)


def _each(evaluator: Evaluator, given: Argument, far: int) -> _Taken | None:
    """The same of each thing in what a comprehension goes through, or of a part of each."""
    place = _place(given.taken[0], given.taken[1]) if given.taken is not None else ()
    if not given.element or given.expression is None or given.point is None or place is None:
        return None
    return _taken(evaluator, given.expression, given.point, far).at(_ITEM, *place)


def _known(evaluator: Evaluator, node: ast.expr, point: Point) -> _Taken:
    return _Taken(frozenset(value.key for value, _ in evaluator.values(node, point)), ())


def _place(target: ast.expr, name: str) -> tuple[int, ...] | None:
    """Where a target binds a name: nowhere below what is assigned, or at a place of it."""
    match target:
        case ast.Name():
            return ()
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            places = [at for at, each in enumerate(elts) if isinstance(each, ast.Name) and each.id == name]
            if len(places) == 1 and not any(isinstance(each, ast.Starred) for each in elts):
                return (places[0],)
    return None


def _is_plain(name: str, point: Point) -> bool:
    """Whether a name is a parameter that its function never binds."""
    return is_parameter(name, point.frame) and name not in point.frame.layout.binds


def _gone_through(variable: str, point: Point) -> Iterator[ast.expr]:
    """What the loops and comprehensions at a point go through whole, a variable standing for each thing."""
    for loop in loops_around(point):
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and loop.target.id == variable:
            yield loop.iter
    for node in walk(point.statement) if point.statement is not None else ():
        match node:
            case ast.comprehension(target=ast.Name(id=name), iter=held, ifs=[]) if name == variable:
                yield held


def _is_made_again(kept: KeptByKey, texts: Iterable[str]) -> bool:
    """Whether constructors make twice what keeps the handles of an object: the second holds none."""
    _, _, held = kept.place.partition(".")
    made = re.compile(rf"\.{re.escape(held.partition('.')[0])} = ")
    return kept.own and sum(len(made.findall(text)) for text in texts) > 1


def _is_number(value: Value, frame: Frame) -> bool:
    """Whether a key is a number, be it one that the caller counts (``for at in range(n)``): where workers
    keep things by a number that their items tell, some item is of this one."""
    if isinstance(value, Const):
        return type(value.value) is int
    given = frame.arguments.all() if frame.arguments is not None else []
    return isinstance(value, Unknown | Made) and any(_is_counted(each) for each in given)


def _is_counted(argument: Argument) -> bool:
    """Whether an argument is what a loop around the call counts."""
    if not isinstance(argument.expression, ast.Name) or argument.point is None:
        return False
    name = argument.expression.id
    for loop in loops_around(argument.point):
        match loop:
            case ast.For(target=ast.Name(id=at), iter=ast.Call(func=ast.Name(id="range"))) if at == name:
                return True
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=at), _]), iter=ast.Call(func=ast.Name(id="enumerate"))
            ) if at == name:
                return True
    return False


def _receiver(frame: Frame) -> Key:
    return frame.receiver.key if frame.receiver is not None else None
