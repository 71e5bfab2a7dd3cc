"""Nones: where a function gives None for one item or another, itself or through a function that it calls.

Not every None counts: it has to depend on the item, on an exception that reading it raised or on a test about
what was read. A function that gives None because of its settings gives it for every item, and somebody would
have noticed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.processes.pickling import NAMED_TUPLES
from dlint.source.nodes import walk
from dlint.source.statements import dotted, last_name, parameters, statements_in
from dlint.streams.items.items import Reader, are_chosen, handed_on, readers
from dlint.streams.items.names import concerns, index_names, is_index, is_of_item, mentions
from dlint.streams.nones.attempts import asked_to_be_none, is_attempt, is_bounded
from dlint.streams.nones.endings import ENDED, endings
from dlint.streams.nones.instead import gives_up, replacing
from dlint.streams.nones.never_returns import never_in
from dlint.streams.nones.passed_on import is_passed_none
from dlint.streams.nones.reached import Reached
from dlint.streams.nones.scope import HERE, How, Scope, inside
from dlint.streams.nones.sieved import called, sieved
from dlint.streams.nones.variables import Variables
from dlint.streams.nones.written import (
    compares_names,
    does_something,
    has_none,
    is_bound_only,
    is_none,
    may_be_none,
    speaks_of_none,
    tries_again,
)
from dlint.values.frame import Arguments, Point, arguments_of
from dlint.values.functions import display_name, is_generator, passed
from dlint.values.values import Class, Function, Instance, Key, Made, Partial
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 3  # calls followed to what gives None


class Nones:
    """Finds the statements that give None for an item."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._reached = Reached(evaluator, self._gives_none)
        self._sieved: dict[Key, frozenset[str]] = {}
        self._followed = set[int]()  # assignments, and methods of other datasets, that are being looked at
        self._variables = Variables(self, evaluator, self._reached, self._followed)

    def of_reader(self, reader: Reader) -> Iterator[tuple[ast.stmt, How]]:
        """Where a ``__getitem__`` gives None, and how that comes about."""
        if replacing(self._evaluator, reader.node, reader.function.frame):
            if gives_up(self._evaluator, reader.node, reader.function.frame, reader.world):
                yield reader.node, How("gives what its decorator makes of it, which can be None")
            return
        index = frozenset(argument.arg for argument in parameters(reader.node)[1:])
        start = Scope(reader.node, reader.frame, reader.world, index, frozenset(), 0, reader.instance)
        yield from self._of_function(start)

    def _of_function(self, scope: Scope) -> Iterator[tuple[ast.stmt, How]]:
        body = scope.node.body
        returns = [s for s in statements_in(body) if isinstance(s, ast.Return)]
        if all(is_none(statement.value) for statement in returns):
            return  # subclasses say what an item is
        for statement in returns:
            how = self._returned(statement, scope)
            if how is not None:
                yield statement, how
        # A call that does not return takes endings away: without one of these there is nothing to ask.
        ends = endings(body, lambda _: False)
        if any(ending in ENDED for ending in ends):
            ends = endings(body, never_in(self._evaluator, scope.frame, scope.world))
        for ending, said in ENDED.items():
            if ending in ends:
                yield scope.node, How(said)
                return
        if "perhaps" in ends and self._drops_item(body, scope):
            yield scope.node, How("ends without a return for some items")
        elif "perhaps" in ends and self._runs_out(body, scope):
            yield scope.node, How(ENDED["attempts"])

    def _returned(self, statement: ast.Return, scope: Scope) -> How | None:
        self._evaluator.start()
        point = Point(scope.frame, statement)
        if is_none(statement.value):
            return HERE if self._reached.by_item(point, scope) else None
        if has_none(statement.value, scope.node):
            by_item = self._reached.by_item(point, scope) and not self._reached.asks_for_none(point, scope)
            return inside(HERE) if by_item else None
        value = statement.value
        if scope.far and is_passed_none(self._evaluator, value, scope.node, point, scope.world):
            return HERE if self._reached.by_item(point, scope) else None
        if value is None or not may_be_none(value) or isinstance(value, ast.Subscript):
            return None  # items that are handed on as they are have been looked at
        if isinstance(value, ast.Call) and self._gives_nothing(value, point, scope):
            return HERE if self._reached.by_item(point, scope) else None
        for world in self._evaluator.flow.reaching(point, scope.world):
            how = self.of_expression(value, point, world, scope)
            if how is not None:
                return how
        return None

    def _gives_nothing(self, call: ast.Call, point: Point, scope: Scope) -> bool:
        """Whether a call is of functions only that do something and give None: ``return self.note(index)``.
        One that does nothing is for subclasses to write."""
        callees = self._evaluator.values(call.func, point, scope.world)
        return bool(callees) and all(
            isinstance(callee, Function)
            and isinstance(callee.node, ast.FunctionDef)
            and all(map(is_bound_only, callee.node.decorator_list))
            and does_something(callee.node)
            and not is_generator(callee.node)
            and (
                any(isinstance(each, ast.Return) for each in statements_in(callee.node.body))
                or bool(endings(callee.node.body, never_in(self._evaluator, callee.frame, w)))
            )
            for callee, w in callees
        )

    def of_expression(self, node: ast.expr, point: Point, world: World, scope: Scope) -> How | None:
        """How an expression that is returned comes to be None, or to have a None in it."""
        parts: list[ast.expr] = []
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
                pass
            case ast.IfExp(test=test, body=body, orelse=orelse):
                if is_none(body) or is_none(orelse):
                    by_item = concerns(test, scope.indices, scope.read) and not speaks_of_none(test)
                    return HERE if by_item else None
                parts = [body, orelse]
            case ast.Call(func=ast.Name(id="next"), args=[ast.GeneratorExp() as sought, default]):
                return HERE if is_none(default) and self._reached.is_sought(sought, scope) else None
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=entries):
                parts = [each.value for each in entries if each.arg is not None]
            case ast.Call(
                func=ast.Name(id="tuple" | "list"), args=[ast.GeneratorExp() | ast.ListComp() as made]
            ):
                return self._of_each(made, point, world, scope)
            case ast.ListComp() | ast.DictComp():
                return self._of_each(node, point, world, scope)
            case ast.Call(func=callee, args=args, keywords=entries) if self.is_record(callee, point, world):
                parts = [*args, *(each.value for each in entries)]
            case ast.Call():
                return self._of_call(node, point, world, scope)
            case ast.Subscript():
                return self._of_item(node, point, world, scope)
            case ast.Name(id=name) if name in point.frame.layout.binds:
                return self._variables.of(name, point, world, scope)
        for part in parts:
            how = self.of_expression(part, point, world, scope) if may_be_none(part) else None
            if how is not None:
                return how if isinstance(node, ast.IfExp) else inside(how)
        return None

    def is_record(self, callee: ast.expr, point: Point, world: World) -> bool:
        """Whether a call makes a named tuple of what it is given, each part of which torch collates."""
        if not last_name(callee).strip("_")[:1].isupper():
            return False
        values = [value for value, _ in self._evaluator.values(callee, point, world)]
        return bool(values) and all(
            (isinstance(each, Made) and each.name in NAMED_TUPLES)
            or (isinstance(each, Class) and bool(NAMED_TUPLES & self._evaluator.classes.libraries(each)))
            for each in values
        )

    def _of_each(
        self, made: ast.ListComp | ast.GeneratorExp | ast.DictComp, point: Point, world: World, scope: Scope
    ) -> How | None:
        """How an item of one of several datasets is None, or what was read of one of several things:
        ``[data[index] for data in self.datasets]``, ``[self.read(path) for path in paths]``."""
        item = made.value if isinstance(made, ast.DictComp) else made.elt
        if any(each.ifs for each in made.generators):
            return None
        at = self._evaluator.inside(made, point)
        how: How | None = None
        match item:
            case ast.Subscript():
                how = self._of_item(item, at, world, scope)
            case ast.Call():
                each = frozenset(
                    name.id
                    for part in made.generators
                    if is_of_item(part.iter, scope.indices, scope.read)
                    for name in walk(part.target)
                    if isinstance(name, ast.Name)
                )
                how = self._of_call(item, at, world, scope.with_given(each))
        return inside(how) if how is not None else None

    def _of_item(self, node: ast.Subscript, point: Point, world: World, scope: Scope) -> How | None:
        """How the item of another dataset that is asked for under the same number is None, or has one in it;
        of a dataset of which others are looked at as well one may take the place of that, but not of the
        last of so many attempts."""
        numbers = scope.indices if scope.far else index_names(scope.node)
        held = dotted(node.value)
        if held is None or not is_index(node.slice, numbers):
            return None
        asked = [e for e in walk(scope.node) if isinstance(e, ast.Subscript) and dotted(e.value) == held]
        if len(asked) > 1 and not is_attempt(node, scope.node):
            return None
        self._evaluator.start()
        for value, w in self._evaluator.values(node.value, point, world):
            if are_chosen(self._evaluator, value, w):
                continue
            for outer in readers(self._evaluator, value, w):
                for reader in (outer, *handed_on(self._evaluator, outer)):
                    if id(reader.node) in self._followed:
                        continue
                    self._followed.add(id(reader.node))
                    hows = [how for _, how in self.of_reader(reader)]
                    self._followed.discard(id(reader.node))
                    if hows:
                        return _handed_on_by(reader.function, hows)
        return None

    def _of_call(
        self,
        node: ast.Call,
        point: Point,
        world: World,
        scope: Scope,
        only: Callable[[Function], bool] | None = None,
    ) -> How | None:
        for callee, inner in self._called(node, point, world, scope, only):
            hows = [HERE] if inner is None else [how for _, how in self._of_function(inner)]
            if hows:
                return _handed_on_by(callee, hows)
        return None

    def of_part(
        self, call: ast.Call, at: int, count: int, point: Point, world: World, scope: Scope
    ) -> How | None:
        """How one of so many things that a call gives together comes to be None: ``image, mask =
        self.read(path)``."""
        for callee, inner in self._called(call, point, world, scope, None):
            for statement in statements_in(inner.node.body) if inner is not None else ():
                match statement:
                    case ast.Return(value=ast.Tuple(elts=parts)) if len(parts) == count and not any(
                        isinstance(each, ast.Starred) for each in parts
                    ):
                        assert inner is not None
                        if self._is_part_none(parts[at], statement, inner):
                            return How(f"returns what {display_name(callee)} gives, which can be None")
        return None

    def _is_part_none(self, part: ast.expr, statement: ast.Return, scope: Scope) -> bool:
        """Whether a part of what a function returns may be None for an item."""
        if not may_be_none(part) or isinstance(part, ast.Subscript):
            return False
        self._evaluator.start()
        point = Point(scope.frame, statement)
        return any(
            self.of_expression(part, point, world, scope) is not None
            for world in self._evaluator.flow.reaching(point, scope.world)
        )

    def _called(
        self,
        node: ast.Call,
        point: Point,
        world: World,
        scope: Scope,
        only: Callable[[Function], bool] | None,
    ) -> Iterator[tuple[Function, Scope | None]]:
        """The functions of the program that a call comes to, each as what is to be looked at; None in place
        of that for one whose decorator gives None in the end."""
        if scope.far >= _FAR or called(node) in self._chosen_by(scope.dataset):
            return
        for callee, before, w in self._functions(node.func, point, world):
            function = callee.node
            if not isinstance(function, ast.FunctionDef) or (only is not None and not only(callee)):
                continue
            if function is scope.node or is_generator(function):
                continue
            if replacing(self._evaluator, function, callee.frame):
                if gives_up(self._evaluator, function, callee.frame, w):
                    yield callee, None
                continue
            given = passed(callee, node) if not before.positional else {}
            index = {name for name, value in given.items() if is_index(value, scope.indices)}
            read = {
                name for name, value in given.items() if mentions(value, scope.indices | scope.read)
            } - index
            arguments = arguments_of(node, point).after(before)
            frame = self._evaluator.calls.enter(callee, arguments, node, point)
            inner = Scope(function, frame, w, frozenset(index), frozenset(read), scope.far + 1, scope.dataset)
            yield callee, inner

    def _gives_none(self, call: ast.Call, point: Point, world: World, scope: Scope, *, steps: bool) -> bool:
        """Whether a call may give None; of ``steps`` those that are made by their own names."""
        only = _is_made_by_name if steps else None
        return self._of_call(call, point, world, scope, only=only) is not None

    def _functions(
        self, node: ast.expr, point: Point, world: World
    ) -> Iterator[tuple[Function, Arguments, World]]:
        """The functions of the program that a call of something calls, with what a partial holds for them
        already; of an object its ``__call__``."""
        for value, w in self._evaluator.values(node, point, world):
            match value:
                case Function():
                    yield value, Arguments(), w
                case Partial(callee=Function() as function, arguments=before):
                    yield function, before, w
                case Instance():
                    for method in self._evaluator.classes.methods(value, "__call__"):
                        yield method, Arguments(), w

    def _chosen_by(self, dataset: Instance) -> frozenset[str]:
        """The functions by whose results a dataset has chosen its items."""
        if dataset.key not in self._sieved:
            self._sieved[dataset.key] = sieved(self._evaluator, dataset)
        return self._sieved[dataset.key]

    def _drops_item(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Whether a function ends with ``if <test of what was read>: return ...`` and nothing else, or with
        so many attempts at that."""
        *before, last = body
        if tries_again(last) or self._reached.seeks(last, scope):
            return self._reached.is_left_over(body, scope)
        if not isinstance(last, ast.If) or any(
            isinstance(inner, ast.Return) for statement in before for inner in statements_in([statement])
        ):
            return False
        if len(last.orelse) == 1 and isinstance(last.orelse[0], ast.If):
            return False  # the cases of a list that may be complete
        never = never_in(self._evaluator, scope.frame, scope.world)
        ways = [endings(block, never) for block in (last.body, last.orelse)]
        if sorted(ways, key=len) != [frozenset(), frozenset({"straight"})]:
            return False
        return (
            not compares_names(last.test)
            and concerns(last.test, scope.indices, scope.read)
            and self._reached.concerns(last, scope)
        )

    def _runs_out(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Whether a function ends with so many attempts, each of which returns unless what a call gave it is
        None (``if frames is None: continue``), as it may be."""
        loop = next((each for each in reversed(body) if not isinstance(each, ast.Expr)), None)
        if not is_bounded(loop) or not isinstance(loop.body[-1], ast.Return):
            return False
        for test in loop.body:
            if isinstance(test, ast.If) and not test.orelse and isinstance(test.body[-1], ast.Continue):
                name, point = asked_to_be_none(test.test), Point(scope.frame, test)
                definitions = self._evaluator.flow.definitions(name, point, scope.world) if name else ()
                for statement, world in definitions:
                    match statement:
                        case ast.Assign(targets=[ast.Name()], value=ast.Call() as call):
                            at = Point(scope.frame, statement)
                            if self._of_call(call, at, world, scope) is not None:
                                return True
        return False


def _is_made_by_name(method: Function) -> bool:
    """Whether the object of a method is made by a call of its class's name, and not of what a table has."""
    made = method.receiver
    return (
        isinstance(made, Instance)
        and isinstance(made.node, ast.Call)
        and last_name(made.node.func) == made.cls.name
    )


def _handed_on_by(function: Function, hows: list[How]) -> How:
    """How that is None, or has one in it, which a function gives in some ways."""
    owner = display_name(function)
    if all(how.inside for how in hows):
        return How(f"returns what {owner} gives, which can have None in it", True)
    return How(f"returns what {owner} gives, which can be None")
