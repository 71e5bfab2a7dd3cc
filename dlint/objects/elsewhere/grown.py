"""What others put in a list or dict that an object keeps: ``dataset.transforms.append(Crop())``, or
``dataset.add(Crop())`` and ``@dataset.augmentation`` where the method appends what it is given, alone or in a
tuple with its name, or stores it under that.

Only what has code counts: functions, objects, what libraries make. Each object gets what is given to it, for
another one of its class has a list of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from dlint.knowledge.callbacks import keeps_its_list
from dlint.objects.elsewhere.additions import GROWS, Added, growths, has_code, of_parameters
from dlint.objects.elsewhere.filled_by_calls import FilledByCalls, is_given
from dlint.objects.elsewhere.method_calls import Given, MethodCalls
from dlint.objects.elsewhere.put_later import put_in_kept, put_later
from dlint.regex import regex
from dlint.source.statements import (
    FunctionNode,
    functions_in,
    innermost_statement,
    is_self,
    own_nodes,
    self_name,
    statements_in,
)
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import Class, Const, Function, Instance, Items, Key, Made, Table, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

# What stands before the attributes of an object itself, and how far it reaches with what ends it.
_OWN = regex(rb"\b(?:self|cls)\Z")
_BEFORE = 5
# So many statements that may add something are looked at.
_MOST = 24
# Methods of an object that call one another, on the way to one that adds something.
_FAR = 2


# The key under which something is put into a dict, if that is one, what is put there, and in which world.
_Put: TypeAlias = tuple[Value | None, Value, World]


class _Grows(NamedTuple):
    """A statement that adds something to what an object keeps: the object, and what is added."""

    holder: ast.expr
    point: Point
    added: Added


_Place = TypeVar("_Place", Given, _Grows)


class Grown:
    """Lists of objects, and what other code adds to them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._from_outside: dict[str, list[_Grows]] = {}
        self._by_methods: dict[tuple[int, str], list[tuple[FunctionNode, list[Added]]]] = {}
        self._only_filled: dict[tuple[Key, str], bool] = {}
        # By the keys of the objects: what adds to what they keep under a name, and the calls of a method.
        self._grows_in: dict[str, dict[Key, list[_Grows]]] = {}
        self._given_to: dict[str, dict[Key, list[Given]]] = {}
        self._asking: set[tuple[Key, str]] = set()
        self._own_calls: dict[
            tuple[int, str], list[tuple[FunctionNode, list[tuple[ast.Call, ast.Name, ast.stmt]]]]
        ] = {}
        self._calls = MethodCalls(evaluator)
        self.by_calls = FilledByCalls(evaluator, self._calls, self._asking)

    def of(self, instance: Instance, name: str, world: World, *, keyed: bool = False) -> list[Outcome]:
        """What the code that has an object adds to a list which the object keeps under a name, or stores in a
        dict (``keyed``)."""
        found = self._all(instance, name, world, keyed)
        return [(value, w) for _, value, w in found if has_code(value, inside=keyed)]

    def joined_to(
        self, outcomes: list[Outcome], instance: Instance, name: str, world: World
    ) -> list[Outcome]:
        """What an attribute holds, also with what others put in where it is a list, or a dict."""
        if any(isinstance(value, Table) for value, _ in outcomes):
            return self._with_entries(outcomes, instance, name, world)
        if not any(isinstance(value, Items) and value.kind == "list" for value, _ in outcomes):
            return outcomes
        added = self.of(instance, name, world)
        if not added:
            return outcomes
        items = {value.key: value for value, _ in added}
        longer: Outcome = (Items("list", tuple(items.values()), True), world)
        return told_apart([*outcomes, longer], ("grown", instance.key, name))

    def _with_entries(
        self, outcomes: list[Outcome], instance: Instance, name: str, world: World
    ) -> list[Outcome]:
        entries = self.under_keys(instance, name, world)
        if not entries:
            return outcomes
        return [
            (Table({**entries, **value.items}, True, value.home) if isinstance(value, Table) else value, w)
            for value, w in outcomes
        ]

    def under_keys(self, instance: Instance, name: str, world: World) -> dict[Any, Value]:
        """What the code that has an object stores in a dict of it, under the keys that are known: one thing
        under each, whoever stores it."""
        found: dict[Any, dict[Key, Value]] = {}
        for key, value, _ in self._all(instance, name, world, keyed=True):
            if isinstance(key, Const):
                found.setdefault(key.value, {})[value.key] = value
        alone = {key: next(iter(values.values())) for key, values in found.items() if len(values) == 1}
        return {key: value for key, value in alone.items() if has_code(value, inside=True)}

    def places(self, instance: Instance, name: str) -> frozenset[int]:
        """The places where the code that has an object is seen to put something in what it keeps under a
        name. What its constructor puts there, all that are made alike have."""
        mark = (instance.key, name)
        if mark in self._asking:
            self._evaluator.cut()
            return frozenset()
        self._asking.add(mark)
        try:
            return frozenset(id(each.holder) for each in self._adding(instance, name)) | {
                id(held) for held, _, _ in put_in_kept(self._evaluator, instance, name, HERE)
            }
        finally:
            self._asking.discard(mark)

    def _adding(self, instance: Instance, name: str) -> Iterator[_Grows | Given]:
        """The statements that add something to what an object keeps, and the calls of its methods that do."""
        yield from self._growing_in(instance, name)
        line = self._evaluator.classes.line(instance.cls)
        adding: dict[str, int] = {}
        for above in line:
            adding |= {each.name: _FAR for each, _ in self._growing(above, name)}
            adding |= {
                each.name: _FAR for each, put in self.by_calls.fills(above, name) if is_given(each, put)
            }
        waiting = list(adding)
        while waiting:
            method = waiting.pop()
            yield from self._calls_of(instance, method)
            for above in line if adding[method] else ():
                for caller, _ in self._calling(above, method):
                    if caller.name not in adding and caller.name != "__init__":
                        adding[caller.name] = adding[method] - 1
                        waiting.append(caller.name)

    def _all(self, instance: Instance, name: str, world: World, keyed: bool) -> list[_Put]:
        mark = (instance.key, name)
        if instance.node is None or mark in self._asking:
            return []
        self._asking.add(mark)
        try:
            return [
                *self._put_there(instance, name, world, keyed),
                *self._put_by_methods(instance, name, world, keyed),
                *self._put_in_kept(instance, name, world, keyed),
            ]
        finally:
            self._asking.discard(mark)

    def of_library(self, made: Made, name: str, world: World) -> list[Outcome]:
        """What is added to a list that an object of a library keeps: ``compose.transforms.append(crop)``."""
        put = [*self._put_there(made, name, world, keyed=False)]
        for given in made.arguments.all() if keeps_its_list(made.name) else ():
            for _, added, point in put_later(self._evaluator, given, world):
                put += self._values(added, point, world)
        return [(value, w) for _, value, w in put if has_code(value)]

    def _put_there(self, instance: Instance | Made, name: str, world: World, keyed: bool) -> Iterator[_Put]:
        for _, point, added in self._growing_in(instance, name):
            if added.keyed is keyed:
                yield from self._values(added, point, world)

    def _put_in_kept(self, instance: Instance, name: str, world: World, keyed: bool) -> Iterator[_Put]:
        for _, added, point in () if keyed else put_in_kept(self._evaluator, instance, name, world):
            yield from self._values(added, point, world)

    def _growing_in(self, instance: Instance | Made, name: str) -> list[_Grows]:
        """The statements that add to what an object keeps under a name."""
        if name not in self._from_outside:
            self._from_outside[name] = list(self._outside(name))
        return self._by_holder(self._grows_in, name, self._from_outside[name]).get(instance.key, [])

    def _calls_of(self, instance: Instance, name: str) -> list[Given]:
        """The calls of a method on an object, by others."""
        return self._by_holder(self._given_to, name, self._calls.handed_on(name)).get(instance.key, [])

    def _by_holder(
        self, known: dict[str, dict[Key, list[_Place]]], name: str, places: Iterable[_Place]
    ) -> dict[Key, list[_Place]]:
        """Places by the objects that they are about: every object is asked for, and each would be compared
        with what every place is about."""
        if name in known:
            return known[name]
        held, sure = self._evaluator.whole(lambda: self._held(places))
        if sure:
            known[name] = held
        return held

    def _held(self, places: Iterable[_Place]) -> dict[Key, list[_Place]]:
        found: dict[Key, list[_Place]] = {}
        for place in places:
            values = self._evaluator.values(place.holder, place.point)
            for key in {value.key for value, _ in values}:
                found.setdefault(key, []).append(place)
        return found

    def _outside(self, name: str) -> Iterator[_Grows]:
        """The statements that add to what any object but self has under a name."""
        grows = re.compile(rb"\.%b%b" % (re.escape(name.encode()), GROWS.encode()))
        index = self._evaluator.modules.index
        files = [each for each in index.naming(name) if _is_of_others(grows, index.data(each))]
        found = 0
        for module in self._evaluator.modules.each(files):
            for trail in module.paths_to(name):
                node = trail[-1]
                if not isinstance(node, ast.Attribute) or is_self(node.value) or found >= _MOST:
                    continue
                statement = innermost_statement(trail)
                for held, added in growths(statement) if statement is not None else ():
                    if held is node:
                        found += 1
                        yield _Grows(node.value, self._evaluator.sites.point_of(module, trail), added)

    def _put_by_methods(self, instance: Instance, name: str, world: World, keyed: bool) -> Iterator[_Put]:
        for above in self._evaluator.classes.line(instance.cls):
            for function, every in self._growing(above, name):
                growths = [added for added in every if added.keyed is keyed]
                if not growths:
                    continue
                outer = Frame(above.module, above.node, above.frame)
                bound = Function(function, outer, instance, above)
                by_own = self._by_own(instance, function.name) if self._is_only_filled(instance, name) else ()
                own = (each for each in by_own if self._is(each.holder, each.point, instance))
                for given in (*self._calls_of(instance, function.name), *own):
                    frame = self._evaluator.calls.enter(bound, given.arguments, given.node, given.point)
                    for reached in self._evaluator.flow.reaching(given.point, world):
                        for added in growths:
                            yield from self._values(added, Point(frame, added.statement), reached)

    def _by_own(self, instance: Instance, name: str, far: int = _FAR) -> Iterator[Given]:
        """The calls of a method by other methods of its own object that run: its constructors, those that
        others call on the object, and those that these call."""
        for above in self._evaluator.classes.line(instance.cls):
            for function, calls in self._calling(above, name):
                for frame in self._run_as(instance, above, function, far):
                    for node, held, statement in calls:
                        point = Point(frame, statement)
                        yield Given(held, point, arguments_of(node, point), node)

    def _calling(
        self, cls: Class, name: str
    ) -> list[tuple[FunctionNode, list[tuple[ast.Call, ast.Name, ast.stmt]]]]:
        """The methods of a class, not of those above it, that speak of calling another one of their object,
        and the calls."""
        mark = (id(cls.node), name)
        known = self._own_calls.get(mark)
        if known is None:
            known = self._own_calls[mark] = []
            called = re.compile(rf"\b(?:self|cls)\.{re.escape(name)}\(")
            if f".{name}(" in cls.module.text:
                for function in functions_in(cls.node.body):
                    if function.name != name and called.search(cls.module.text_of(function)):
                        known.append((function, list(_calls_of_own(function, name))))
        return known

    def _run_as(self, instance: Instance, owner: Class, function: FunctionNode, far: int) -> Iterator[Frame]:
        """The frames in which a method of an object runs."""
        if function.name == "__init__":
            for _, frame in self._evaluator.initialisers.of(instance):
                if frame.scope is function:
                    yield frame
            return
        bound = Function(function, Frame(owner.module, owner.node, owner.frame), instance, owner)
        by_own = self._by_own(instance, function.name, far - 1) if far else ()
        for given in (*self._calls.of(function.name), *by_own):
            if self._is(given.holder, given.point, instance):
                yield self._evaluator.calls.enter(bound, given.arguments, given.node, given.point)

    def _is_only_filled(self, instance: Instance, name: str) -> bool:
        """Whether no method of an object takes anything out of what it keeps, or stores another there."""
        mark = (instance.cls.key, name)
        known = self._only_filled.get(mark)
        if known is None:
            known = self._only_filled[mark] = self._only_fill(instance.cls, name)
        return known

    def _only_fill(self, cls: Class, name: str) -> bool:
        word = re.escape(name)
        drops = re.compile(
            rf"\.{word}(?:\[[^\n]{{0,300}}\])?\.(?:clear|pop|popitem|remove)\(|\bdel [^\n]{{0,300}}\.{word}\b"
        )
        line = self._evaluator.classes.line(cls)
        stores = re.compile(rf"\b(?:self|cls)\.{word}(?::[^=\n]{{1,300}})?\s*=(?!=)")
        texts = [above.module.text_of(above.node) for above in line]
        return not any(map(drops.search, texts)) and sum(len(stores.findall(text)) for text in texts) <= 1

    def _growing(self, cls: Class, name: str) -> list[tuple[FunctionNode, list[Added]]]:
        """The methods of a class, not of those above it, that add a parameter to a list of their object."""
        mark = (id(cls.node), name)
        known = self._by_methods.get(mark)
        if known is None:
            known = self._by_methods[mark] = []
            if re.search(rf"\.{re.escape(name)}{GROWS}", cls.module.text):
                for function in functions_in(cls.node.body):
                    growths = list(of_parameters(function, name))
                    if growths and function.name != "__init__":
                        known.append((function, growths))
        return known

    def _is(self, holder: ast.expr, point: Point, instance: Instance | Made) -> bool:
        return any(value.key == instance.key for value, _ in self._evaluator.values(holder, point))

    def _values(self, added: Added, point: Point, world: World) -> Iterator[_Put]:
        for reached in self._evaluator.flow.reaching(point, world):
            keys = self._evaluator.values(added.key, point, reached) if added.key is not None else []
            key = keys[0][0] if len(keys) == 1 else None
            for value, w in self._evaluator.values(added.value, point, reached):
                if not added.each:
                    yield key, value, w
                elif isinstance(value, Items):
                    yield from ((None, item, w) for item in value.items)


def _is_of_others(grows: re.Pattern[bytes], data: bytes) -> bool:
    """Whether a text lets something grow that is not an object's own. A pattern that looks behind itself
    first is searched for ten times as slowly."""
    return any(
        _OWN.search(data[max(0, each.start() - _BEFORE) : each.start()]) is None
        for each in grows.finditer(data)
    )


def _calls_of_own(function: FunctionNode, name: str) -> Iterator[tuple[ast.Call, ast.Name, ast.stmt]]:
    """The calls of a method of its own object that a method has, what they are called on, and their
    statements."""
    own = self_name(function)
    for statement in statements_in(function.body):
        for node in own_nodes(statement):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=receiver) as held, attr=method)):
                    if method == name and receiver == own:
                        yield node, held, statement
