"""Lists, tuples, sets and dicts that are written out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from dlint.evaluation.contents.contents import ANY
from dlint.values.frame import Point
from dlint.values.outcomes import OUTCOMES, Outcome, told_apart
from dlint.values.values import Const, Items, Key, Made, Table, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

# So many elements or entries are looked at, and so many lists may come of what each of them may be.
_LONGEST = 64
_MOST_LISTS = 12
# What is in it, whether more may be, and where that is so.
_List: TypeAlias = tuple[tuple[Value, ...], bool, World]


def sequence(
    evaluator: Evaluator, node: ast.List | ast.Tuple | ast.Set, point: Point, world: World
) -> list[Outcome]:
    """What a list, tuple or set is."""
    kind = type(node).__name__.lower()
    results: list[_List] = [((), False, world)]
    fewer = False
    for item in node.elts[:_LONGEST]:
        starred = isinstance(item, ast.Starred)
        expression = item.value if isinstance(item, ast.Starred) else item
        grown: list[_List] = []
        for items, open_, w in results:
            for value, v in evaluator.values(expression, point, w):
                if not starred:
                    grown.append(((*items, value), open_, v))
                elif isinstance(value, Items):
                    grown.append(((*items, *value.items), open_ or value.open, v))
                else:
                    grown.append(((*items, *_of_library(evaluator, value, item, point, v)), True, v))
        results = grown
        if len(results) > _MOST_LISTS:
            results, fewer = _fewer(results, world), True
    found: list[Outcome] = [
        (Items(kind, items, open_ or len(node.elts) > _LONGEST), w) for items, open_, w in results
    ]
    return told_apart(found, ("display", id(node), point.key)) if fewer else found


def _of_library(
    evaluator: Evaluator, value: Value, node: ast.expr, point: Point, world: World
) -> list[Value]:
    """What is known of what an object of a library gives: ``*map(open, paths)``."""
    if not isinstance(value, Made):
        return []
    given = evaluator.iterated(value, node, point, world)
    return [each for each in given if not isinstance(each, Unknown)]


def table(evaluator: Evaluator, node: ast.Dict, point: Point, world: World) -> list[Outcome]:
    """What a dict is."""
    results: list[tuple[dict[object, Value], bool, World]] = [({}, False, world)]
    # What stands under keys that are not known may be one of several things.
    others: dict[Key, Value] = {}
    for key_node, value_node in list(zip(node.keys, node.values, strict=True))[:_LONGEST]:
        grown: list[tuple[dict[object, Value], bool, World]] = []
        for items, open_, w in results:
            for value, v in evaluator.values(value_node, point, w):
                if key_node is None:
                    if isinstance(value, Table):
                        grown.append(({**items, **value.items}, open_ or value.open, v))
                    else:
                        grown.append((items, True, v))
                    continue
                for key, u in evaluator.values(key_node, point, v)[:2]:
                    name = key.value if isinstance(key, Const) else ANY
                    grown.append(({**items, name: value}, open_, u))
                    if name is ANY:
                        others[value.key] = value
        results = grown[:OUTCOMES]
    if len(others) > 1:
        results = [
            ({**items, ANY: each}, open_, w) for items, open_, w in results for each in others.values()
        ]
    return [(Table(items, open_ or len(node.keys) > _LONGEST), w) for items, open_, w in results[:OUTCOMES]]


def _fewer(results: list[_List], world: World) -> list[_List]:
    """Fewer lists that hold the same things: where all are as long, those that have something at a place that
    none before has there; else one in which any of them may be anywhere. Which they are where, nobody knows
    any more."""
    if len({len(items) for items, _, _ in results}) == 1 and not any(open_ for _, open_, _ in results):
        there: set[tuple[int, Key]] = set()
        kept: list[_List] = []
        for items, _, _ in results:
            places = {(at, value.key) for at, value in enumerate(items)}
            if not places <= there:
                there |= places
                kept.append((items, False, world))
        return kept
    held = {value.key: value for items, _, _ in results for value in items}
    return [(tuple(held.values()), True, world)]
