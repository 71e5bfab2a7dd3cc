"""Objects of the program that worker code puts in an item, and calls of their methods where only the item is
at hand: ``item["masks"] = Masks(...)`` in one transform, ``item["masks"].rotated()`` in the next.

Whoever gets an item does not know what is in it. An object that the same workers put under a key may be what
they find under that key; under a key that nobody knows only where the method's name is none that data has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.callbacks import DATA_METHODS
from dlint.source.statements import own_nodes, statements_in
from dlint.values.frame import Point, arguments_of
from dlint.values.values import Const, Function, Instance, Unknown
from dlint.values.worlds import World
from dlint.workers.summaries.meeting import Entered

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Visit

_OF_DATA = DATA_METHODS.union(dir(dict), dir(list), dir(str), dir(set))
_TAKING = frozenset({"get", "pop"})
_MADE = (ast.Call, ast.Name, ast.IfExp)


class _Place(NamedTuple):
    """Where an item has something under a key: what is called of it, or what is put there."""

    statement: ast.stmt
    key: ast.expr
    node: ast.expr


class _Text(NamedTuple):
    """What the text of a function does with items."""

    calls: list[_Place]  # of methods of what is in them
    stores: list[_Place]


class ItemObjects:
    """Answers for one program; what texts say is kept."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._texts: dict[int, _Text] = {}
        self._defined: dict[str, bool] = {}

    @staticmethod
    def of(evaluator: Evaluator) -> ItemObjects:
        """Those of the program that an evaluator answers for."""
        found = evaluator.kept.setdefault(ItemObjects, ItemObjects(evaluator))
        assert isinstance(found, ItemObjects)
        return found

    def methods(self, visits: Sequence[Visit]) -> Iterator[tuple[Entered, list[World], Visit]]:
        """The methods of objects in items that the visited functions call, each as a step of its visit."""
        stores = [(visit, each) for visit in visits for each in self._text(visit).stores]
        if not stores:
            return
        for visit in [*visits]:
            for place in self._text(visit).calls:
                at = Point(visit.frame, place.statement)
                for function in self._called(place, visit, stores):
                    worlds = self._evaluator.flow.reaching(at, visit.world)
                    if worlds:
                        assert isinstance(place.node, ast.Call)
                        step = Entered(function, arguments_of(place.node, at), place.node, at)
                        yield step, worlds, visit

    def _called(self, place: _Place, visit: Visit, stores: list[tuple[Visit, _Place]]) -> Iterator[Function]:
        """What a call of a method of something in an item may run."""
        match place.node:
            case ast.Call(func=ast.Attribute(value=receiver, attr=name)):
                pass
            case _:
                return
        keys = self._keys(place, visit)
        if keys is None and name in _OF_DATA:
            return
        at = Point(visit.frame, place.statement)
        if not any(isinstance(v, Unknown) for v, _ in self._evaluator.values(receiver, at, visit.world)):
            return
        for maker, store in stores:
            kept = self._keys(store, maker)
            if keys is None or kept is None:
                if name in _OF_DATA:
                    continue
            elif not keys & kept:
                continue
            made = Point(maker.frame, store.statement)
            for world in self._evaluator.flow.reaching(made, maker.world):
                for value, _ in self._evaluator.values(store.node, made, world):
                    if isinstance(value, Instance):
                        yield from self._evaluator.classes.methods(value, name)

    def _keys(self, place: _Place, visit: Visit) -> set[str] | None:
        """The keys that may be meant, None where any may."""
        self._evaluator.start()
        found = [
            value
            for value, _ in self._evaluator.values(
                place.key, Point(visit.frame, place.statement), visit.world
            )
        ]
        keys = {value.value for value in found if isinstance(value, Const)}
        return keys if len(keys) == len({value.key for value in found}) else None

    def _text(self, visit: Visit) -> _Text:
        scope = visit.function.node
        known = self._texts.get(id(scope))
        if known is None:
            known = self._texts[id(scope)] = _Text([], [])
            if visit.role == "dataset" and not isinstance(scope, ast.Lambda):
                for statement in statements_in(scope.body):
                    known.stores.extend(_stores(statement))
                    known.calls.extend(
                        _Place(statement, key, node)
                        for node in own_nodes(statement)
                        if isinstance(node, ast.Call)
                        and isinstance(node.func, ast.Attribute)
                        and (key := self._key_of(node.func.value, visit)) is not None
                        and self._is_defined(node.func.attr)
                    )
        return known

    def _key_of(self, node: ast.expr, visit: Visit) -> ast.expr | None:
        """The key under which an expression finds something in an item."""
        is_item = self._evaluator.leads.is_item
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=key) if is_item(name, visit.frame):
                return None if isinstance(key, ast.Slice) else key
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=[key, *_]) if (
                attr in _TAKING and is_item(name, visit.frame)
            ):
                return key
            case ast.Name(id=name) if name in visit.frame.layout.binds:
                keys = [
                    self._key_of(each.value, visit)
                    for each in visit.frame.layout.nodes
                    if isinstance(each, ast.Assign)
                    and isinstance(each.value, ast.Subscript | ast.Call)
                    and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
                ]
                return keys[0] if len(keys) == 1 else None
        return None

    def _is_defined(self, name: str) -> bool:
        """Whether any class of the program may have a method of a name."""
        known = self._defined.get(name)
        if known is None:
            index = self._evaluator.modules.index
            head = b"def " + name.encode()
            wanted = re.compile(rb"^[ \t]+(?:async )?%b\b" % re.escape(head), re.MULTILINE)
            known = self._defined[name] = any(
                head in (data := index.data(relative)) and wanted.search(data) is not None
                for relative in index.naming(name)
            )
        return known


def _stores(statement: ast.stmt) -> Iterator[_Place]:
    """What a statement puts under keys, where that may be an object."""
    match statement:
        case ast.Assign(targets=targets, value=value) if isinstance(value, _MADE):
            for target in targets:
                if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
                    yield _Place(statement, target.slice, value)
    for node in own_nodes(statement):
        match node:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if key is not None and isinstance(value, _MADE):
                        yield _Place(statement, key, value)
            case ast.Call(func=ast.Name(id="dict") | ast.Attribute(attr="update"), keywords=keywords):
                for keyword in keywords:
                    if keyword.arg is not None and isinstance(keyword.value, _MADE):
                        yield _Place(statement, ast.Constant(keyword.arg), keyword.value)
