"""Whether a test holds: surely, surely not, or either way, with the fork remembered.

An unknown thing is assumed true in one world and false in another; whoever asks again in one of them gets
the same answer. ``x is None``, ``x == 0`` and ``x > 0`` are tied to the truth of ``x``; comparisons with
numbers and with lists of constants narrow what it can be (``facts``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dlint.knowledge.names import NEXT_MEMBER, is_constructor
from dlint.knowledge.processes.pickling import is_module
from dlint.knowledge.randomness import GENERATORS
from dlint.values.facts import (
    ANYWHERE,
    About,
    Cut,
    beyond,
    candidates,
    fits,
    is_above,
    is_number,
    true_by_range,
)
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import OUTCOMES, Outcome
from dlint.values.places import places_around
from dlint.values.values import (
    NONE,
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    ModuleValue,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

Result = tuple[bool, World]


class Truth:
    """Tests, path by path."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._bits: dict[int, ast.BoolOp] = {}

    def of(self, node: ast.expr, point: Point, world: World) -> list[Result]:
        """What a test may come out as, and in which worlds."""
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, point, world)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return [(not result, w) for result, w in self.of(node.operand, point, world)]
        if isinstance(node, ast.Compare):
            return self._compare(node, point, world)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr) and is_bool(node):
            # Of two bools, `&` and `|` are `and` and `or`, but for what is not evaluated.
            op = ast.And() if isinstance(node.op, ast.BitAnd) else ast.Or()
            return self._boolean(ast.BoolOp(op, [node.left, node.right]), point, world)
        if isinstance(node, ast.Name) and node.id == "TYPE_CHECKING":
            return [(False, world)]
        return _few(
            [
                result
                for value, w in self._evaluator.values(node, point, world)
                for result in self.of_value(value, w)
            ]
        )

    def of_value(self, value: Value, world: World) -> list[Result]:
        """The truth of a value."""
        match value:
            case Const():
                return [(bool(value.value), world)]
            case Items() | Table():
                if value.items:
                    return [(True, world)]
                more = value.open or self._is_filled(value)
                return self._either(("truth", value.key), world) if more else [(False, world)]
            case Unknown() | External() | Made() if not _is_object(value):
                return self._unknown(value.key, world)
        return [(True, world)]

    def is_none(self, value: Value, world: World) -> list[Result]:
        """Whether a value is None."""
        if isinstance(value, Const):
            return [(value.value is None, world)]
        if isinstance(value, Unknown) and value.computed:
            return [(False, world)]
        if isinstance(value, Unknown | External | Made) and not _is_object(value):
            if world.known(("truth", value.key)):
                return [(False, world)]
            held = {each.value is None for each in candidates(world.about(value.key)) or ()}
            if len(held) == 1:
                return [(held.pop(), world)]
            return self._either(("none", value.key), world)
        return [(False, world)]

    def let_through(self, name: str, outcomes: list[Outcome], point: Point) -> list[Outcome]:
        """Of the values of a name at a point those that the tests for subclasses on the way let through: what
        is no class, or none of those, does not come behind ``if issubclass(cls, Base):``. Said of each value
        by itself, as no bound leaves out any then."""
        for base, where in _asked_of(name, point):
            above = [value for value, _ in self._evaluator.values(base, where)]
            outcomes = [(value, w) for value, w in outcomes if self._may_be_below(value, above, where)]
        return outcomes

    def _may_be_below(self, value: Value, above: list[Value], point: Point) -> bool:
        if isinstance(value, Class):
            classes = self._evaluator.classes
            if all(
                isinstance(base, Class | External)
                for each in classes.line(value)
                for values in classes.bases(each)
                for base in values
            ):
                made = Instance(value, Arguments(), value.node, point.key)
                return any(classes.is_instance(made, cls) is not False for cls in above)
        return not isinstance(value, Function | Const | Items | Table | ModuleValue)

    def _unknown(self, key: Key, world: World) -> list[Result]:
        if world.known(("none", key)):
            return [(False, world)]
        about = world.about(key)
        if about[2] is not None:
            return [(bool(about[2].value), world)]
        truth = true_by_range(about) if about[0] is None and about[4] is not None else None
        if truth is not None:
            return [(truth, world.assuming(("truth", key), truth))]
        return self._either(("truth", key), world)

    def _either(self, key: Key, world: World) -> list[Result]:
        known = world.known(key)
        if known is not None:
            return [(known, world)]
        return [(True, world.assuming(key, True)), (False, world.assuming(key, False))]

    def _boolean(self, node: ast.BoolOp, point: Point, world: World) -> list[Result]:
        going = isinstance(node.op, ast.And)
        results: list[Result] = []
        worlds = [world]
        for operand in node.values:
            following = []
            for start in worlds:
                for result, w in self.of(operand, point, start):
                    if result is going:
                        following.append(w)
                    else:
                        results.append((result, w))
            worlds = [w for _, w in _few([(going, w) for w in following])]
            results = _few(results)
        return _few(results + [(going, w) for w in worlds])

    def _compare(self, node: ast.Compare, point: Point, world: World) -> list[Result]:
        both = self._of_bits(node)
        if both is not None:
            return self.of(both, point, world)
        results: list[Result] = []
        lefts = self._evaluator.values(node.left, point, world)
        for index, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
            following: list[tuple[Value, World]] = []
            for a, w in lefts:
                for b, v in self._evaluator.values(comparator, point, w):
                    for result, u in self._pair(a, op, b, v):
                        if result and index < len(node.ops):
                            following.append((b, u))
                        else:
                            results.append((result, u))
            lefts = following
        return _few(results)

    def _of_bits(self, node: ast.Compare) -> ast.expr | None:
        """``a & b == -1`` as what it is: & binds before ==, and only -1 & -1 is -1."""
        match node:
            case ast.Compare(
                left=ast.BinOp(left=left, op=ast.BitAnd(), right=right),
                ops=[ast.Eq() | ast.NotEq() as op],
                comparators=[ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)) as one],
            ):
                known = self._bits.get(id(node))
                if known is None:
                    tests = [ast.Compare(each, [op], [one]) for each in (left, right)]
                    word = ast.And() if isinstance(op, ast.Eq) else ast.Or()
                    known = ast.BoolOp(word, [ast.copy_location(test, node) for test in tests])
                    self._bits[id(node)] = ast.copy_location(known, node)
                return known
        return None

    def _pair(self, a: Value, op: ast.cmpop, b: Value, world: World) -> list[Result]:
        negated = isinstance(op, ast.IsNot | ast.NotEq | ast.NotIn)
        if isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            found = self.same(a, b, world)
        elif isinstance(op, ast.In | ast.NotIn):
            found = self._contains(a, b, world)
        else:
            found = self._ordered(a, op, b, world)
        return [(result is not negated, w) for result, w in found]

    def same(self, a: Value, b: Value, world: World) -> list[Result]:
        """Whether two values are equal."""
        if isinstance(a, Const) and not isinstance(b, Const):
            a, b = b, a
        if isinstance(b, Const):
            if b.value is None:
                return self.is_none(a, world)
            if isinstance(a, Const):
                return [(a.value == b.value, world)]
            if not isinstance(a, Unknown | Made | External):
                return [(False, world)]
            if isinstance(b.value, bool):
                return [(result is b.value, w) for result, w in self._unknown(a.key, world)]
            if b.value == 0:
                return [(not result, w) for result, w in self._unknown(a.key, world)]
            return self._equal(a.key, b, world)
        if a.key == b.key:
            return [(True, world)]
        if _is_member(a) and _is_member(b):
            return [(_node(a) is _node(b), world)]
        return self._either(("same", a.key, b.key), world)

    def _equal(self, key: Key, constant: Const, world: World) -> list[Result]:
        about = world.about(key)
        if not fits(constant, about):
            return [(False, world)]
        held = candidates(about)
        if held is not None and len(held) == 1:
            return [(True, world)]
        return [
            (True, world.assuming(("equal", key), constant)),
            (False, world.assuming(("different", key), about[3] | {constant.key})),
        ]

    def _contains(self, a: Value, b: Value, world: World) -> list[Result]:
        same = world.known(("equal", b.key))
        container = b if same is None else same
        if isinstance(a, Const) and isinstance(container, Const):
            if isinstance(container.value, str) and isinstance(a.value, str):
                return [(a.value in container.value, world)]
        elif _is_member(a) and isinstance(b, Items) and not b.open and all(map(_is_member, b.items)):
            return [(any(_node(a) is _node(each) for each in b.items), world)]
        elif isinstance(b, Items | Table) and not b.open:
            constants = _constants(b)
            if constants is not None and isinstance(a, Const):
                inside = a.value in [each.value for each in constants]
                # Of a name that is known: any other would lead to all that a registry has.
                if inside or not self._is_filled(b):
                    return [(inside, world)]
            elif constants is not None and isinstance(a, Unknown | Made | External):
                return self._one_of(a, constants, world)
        return self._either(("in", a.key, b.key), world)

    def _is_filled(self, container: Items | Table) -> bool:
        """Whether other code puts more into a dict: a registry, of which nobody knows who has run."""
        if not isinstance(container, Table) or container.home is None:
            return False
        return len(self._evaluator.filled.whole(container).items) > len(container.items)

    def _one_of(self, a: Unknown | Made | External, constants: list[Const], world: World) -> list[Result]:
        """Whether an unknown thing is one of some constants."""
        key = a.key
        about = world.about(key)
        fitting = [each for each in constants if fits(each, about)]
        if not fitting:
            return [(False, world)]
        held = candidates(about)
        if held is not None and all(each in fitting for each in held):
            return [(True, world)]
        if len(fitting) == 1:
            return self.same(a, fitting[0], world)
        span = about[4] or ANYWHERE
        inside: About = (*about[:4], (span[0], span[1], frozenset(fitting)))
        truth = about[0]
        if truth is None and any(not each.value and each.value is not None for each in fitting):
            truth = True  # as after `x != 0`
        none = False if about[1] is None and NONE in fitting else about[1]
        outside: About = (truth, none, None, about[3] | {each.key for each in fitting}, about[4])
        return [(True, world.with_about(key, inside)), (False, world.with_about(key, outside))]

    def _ordered(self, a: Value, op: ast.cmpop, b: Value, world: World) -> list[Result]:
        if isinstance(a, Const) and isinstance(b, Const):
            known = _order(op, a.value, b.value)
            if known is not None:
                return [(known, world)]
        above = isinstance(op, ast.Gt | ast.GtE)  # else the opposite is asked
        strict = isinstance(op, ast.Gt | ast.LtE)
        if isinstance(a, Const):
            a, b, above, strict = b, a, not above, not strict
        if isinstance(b, Const) and is_number(b.value) and isinstance(a, Unknown | Made | External):
            return [(result is above, w) for result, w in self._above(a.key, (b.value, strict), world)]
        # `a > b` is `b < a`, and `a >= b` is `not a < b`.
        less, than = (b, a) if strict else (a, b)
        found = self._either(("less", less.key, than.key), world)
        return [(result is (above is strict), w) for result, w in found]

    def _above(self, key: Key, cut: Cut, world: World) -> list[Result]:
        about = world.about(key)
        known = is_above(about, cut)
        if known is not None:
            return [(known, world)]
        return [(result, world.with_about(key, beyond(about, cut, result))) for result in (True, False)]


def _is_object(value: Unknown | External | Made) -> bool:
    """Whether something of a library's surely is neither None nor false: what a class makes, or a function
    that makes generators, and modules."""
    if isinstance(value, Made):
        return is_constructor(value.name) or value.name in GENERATORS
    return isinstance(value, External) and value.owner is None and is_module(value.name)


def _is_member(value: Value) -> bool:
    """Whether a value is a member of an enumeration of which no more is known than that it is no other."""
    return isinstance(value, Made) and value.name == NEXT_MEMBER


def _node(value: Value) -> ast.AST | None:
    return value.node if isinstance(value, Made) else None


def _asked_of(name: str, point: Point) -> Iterator[tuple[ast.expr, Point]]:
    """The classes that a name is asked to be below, each with the point of the test, where control comes to a
    point only if it is, and nothing in between gives the name to something else."""
    layout = point.frame.layout
    for place in places_around(point):
        tests = [(each.at, each.test, each.wanted, each.statement) for each in layout.guards(place.block)]
        if isinstance(place.owner, ast.If):
            tests.append((-1, place.owner.test, place.role == "body", place.owner))
        bound = layout.binding(place.block).get(name, ())
        for at, test, wanted, statement in tests:
            if at < place.at and not any(at < index < place.at for index in bound):
                for base in _wanted_above(name, test, wanted):
                    yield base, point.before(statement)
        if isinstance(place.owner, ast.For | ast.AsyncFor | ast.While) or bound:
            return  # what stands further out was asked of what the name meant before


def _wanted_above(name: str, test: ast.expr, wanted: bool) -> Iterator[ast.expr]:
    """The classes that a name is surely below where a test comes out as wanted."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _wanted_above(name, operand, not wanted)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is wanted:
            for value in values:
                yield from _wanted_above(name, value, wanted)
        case ast.Call(func=ast.Name(id="issubclass"), args=[ast.Name(id=asked), base]) if asked == name:
            if wanted:
                yield base


def is_bool(node: ast.expr) -> bool:
    """Whether an expression is True or False by the way it is written; of ``a & b``, one side is enough: who
    writes that of a comparison and a setting means a setting that is a bool."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=True | False):
            return True
        case ast.BoolOp(values=values):
            return all(map(is_bool, values))
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr(), right=right):
            return is_bool(left) or is_bool(right)
    return False


def _few(results: list[Result]) -> list[Result]:
    """At most ``OUTCOMES`` results: of more, each answer keeps what all its worlds assume."""
    if len(results) <= OUTCOMES:
        return results
    worlds = {answer: [w for result, w in results if result is answer] for answer in (True, False)}
    return [(answer, held[0].shared(held[1:])) for answer, held in worlds.items() if held]


def _constants(container: Items | Table) -> list[Const] | None:
    """What a list or the keys of a dict are, where all are constants."""
    if isinstance(container, Table):
        return [Const(key) for key in container.items] if ... not in container.items else None
    found = [each for each in container.items if isinstance(each, Const)]
    return found if len(found) == len(container.items) else None


def _order(op: ast.cmpop, a: Any, b: Any) -> bool | None:
    try:
        match op:
            case ast.Lt():
                return bool(a < b)
            case ast.LtE():
                return bool(a <= b)
            case ast.Gt():
                return bool(a > b)
            case ast.GtE():
                return bool(a >= b)
    except TypeError:
        pass
    return None
