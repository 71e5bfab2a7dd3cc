"""What subscripts give: ``base[index]``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.calls.indirect.of_trainers import is_first_of_trainer
from dlint.evaluation.dicts.own_dicts import ABSENT
from dlint.evaluation.library.elements import CONTAINERS, elements_of
from dlint.knowledge.commands import CLICK_REST
from dlint.knowledge.loading import OPEN_SETTINGS
from dlint.knowledge.names import has_members_by_key, has_splits
from dlint.knowledge.trainers import HPARAMS
from dlint.source.statements import dotted
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import (
    NONE,
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Made,
    ModuleValue,
    Unknown,
    Value,
    slice_of,
)
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

# What has under a key what it has as an attribute.
_KEEP_BY_KEY = OPEN_SETTINGS | {HPARAMS}


def subscript(evaluator: Evaluator, node: ast.Subscript, point: Point, world: World) -> list[Outcome]:
    entries: list[Outcome] = []
    match node:
        case ast.Subscript(value=ast.Name(id=name) as base, slice=ast.Constant(value=str(key))):
            if evaluator.entries.is_filled(name, point):
                entries = evaluator.entries.of(base, key, point, world)
            else:
                entries = evaluator.entries.handed_on(base, key, point, world) or []
        case ast.Subscript(
            value=ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name(id="vars")) as own,
            slice=ast.Constant(value=str(key)),
        ):
            entries = evaluator.entries.of(own, key, point, world)
        case ast.Subscript(value=ast.Attribute() as held, slice=ast.Constant(value=str(key))):
            entries = _kept_entries(evaluator, held, key, point, world)
    unknown = [value is ABSENT or (isinstance(value, Unknown) and not value.stored) for value, _ in entries]
    if all(unknown):
        return _item_of(evaluator, node, point, world)
    return [
        outcome
        for told, is_unknown in zip(entries, unknown, strict=True)
        for outcome in (_item_of(evaluator, node, point, told[1]) if is_unknown else [told])
    ]


def _kept_entries(
    evaluator: Evaluator, held: ast.Attribute, key: str, point: Point, world: World
) -> list[Outcome]:
    """What is under a key of a dict that an object keeps as its constructor was given it, where somebody
    stores it there before."""
    changes = evaluator.held.changes
    if not changes.is_stored_by_key(key) or changes.may_be_below(held.attr, key):
        return []
    found: list[Outcome] = []
    for holder, w in evaluator.values(held.value, point, world):
        kept = evaluator.construction.kept(holder, held.attr, w) if isinstance(holder, Instance) else []
        if not kept:
            return []
        for name, at, v in kept:
            entries = evaluator.entries.handed_on(name, key, at, v)
            if entries is None:
                return []
            found += entries
    return found


def _item_of(evaluator: Evaluator, node: ast.Subscript, point: Point, world: World) -> list[Outcome]:
    """What an item is, as far as the whole of which it is one tells."""
    outcomes: list[Outcome] = []
    first_of_trainer = is_first_of_trainer(node, point)
    for base, w in evaluator.values(node.value, point, world):
        if first_of_trainer and evaluator.of_trainers.is_loader(base):
            outcomes.append((base, w))
        else:
            outcomes += _item(evaluator, base, node.slice, point, w)
    return outcomes


def _item(evaluator: Evaluator, base: Value, index: ast.expr, point: Point, world: World) -> list[Outcome]:
    """The values of ``base[index]``."""
    if isinstance(index, ast.Slice):
        return _slice(evaluator, base, index, point, world)
    if evaluator.classes.is_generic(base):
        return [(base, world)]
    if isinstance(base, Made) and evaluator.containers.is_split(base):
        return [(base, world)]
    if isinstance(base, Made) and has_members_by_key(f"{base.name}()"):
        return [(External(f"{base.name}().[]", base), world)]
    match base, index:
        case Made() as whole, ast.Constant(value=str(split)) if has_splits(whole.name):
            return [(External(f"{whole.name}().[{split}]", whole), world)]
    if isinstance(base, External) and base.owner is not None and has_members_by_key(base.name):
        return [(External(f"{base.name}.[]", base.owner), world)]
    if isinstance(base, External) and base.name == "sys.modules" and dotted(index) == "__name__":
        return [(ModuleValue(point.frame.module, None), world)]
    outcomes: list[Outcome] = []
    asked = evaluator.entries.options(base, world)
    for key, w in evaluator.values(index, point, world):
        name = key.value if isinstance(key, Const) else None
        if asked is not None and isinstance(name, str) and evaluator.options.is_kept(asked, name):
            outcomes += evaluator.attribute(asked, name, asked.node, asked.point, w)
        elif isinstance(base, Made) and isinstance(name, str) and base.name == CLICK_REST:
            outcomes += evaluator.options.of_rest(base, name, w) or evaluator.containers.looked_up(
                base, key, w
            )
        elif isinstance(base, Made) and isinstance(name, str) and base.name in _KEEP_BY_KEY:
            outcomes += evaluator.held.under(base, name, w) or evaluator.containers.looked_up(base, key, w)
        elif isinstance(base, Made) and base.name in CONTAINERS and not isinstance(name, str):
            held = elements_of(evaluator, base, w)
            looked_up = evaluator.containers.looked_up(base, key, w)
            outcomes += [
                *told_apart([(each, w) for each in held], ("held", base.key, key.key)),
                *looked_up,
            ]
        elif isinstance(base, Made) and base.name == "collections.defaultdict":
            begun = [*_begun(evaluator, base, w), *evaluator.containers.looked_up(base, key, w)]
            outcomes += told_apart(begun, ("begun", base.key, key.key))
        else:
            given = _given_by(evaluator, base, key, index, point, w) if isinstance(base, Instance) else []
            outcomes += given or evaluator.containers.looked_up(base, key, w)
    return outcomes


def _begun(evaluator: Evaluator, base: Made, world: World) -> list[Outcome]:
    """The objects of the program with which a ``defaultdict`` begins under a key that it has not."""
    return [
        (made, v)
        for argument in base.arguments.positional[:1]
        if argument.expression is not None
        for value, w in evaluator.value_of(argument, world)
        if isinstance(value, Class | Function)
        for made, v in evaluator.calls.invoke(value, Arguments(), argument.expression, base.point, w)
        if isinstance(made, Instance)
    ]


def _given_by(
    evaluator: Evaluator, base: Instance, key: Value, index: ast.expr, point: Point, world: World
) -> list[Outcome]:
    """What an object of the program gives under a key by a method of its own, as a registry does, as far
    as that is known; what has items by their numbers is left alone."""
    named = isinstance(key, Const) and isinstance(key.value, str)
    if isinstance(key, Const) and not named:
        return []
    if not named and evaluator.classes.member(base.cls, "__len__"):
        return []
    arguments = Arguments([Argument(index, point)])
    found = [
        outcome
        for method in evaluator.classes.methods(base, "__getitem__")
        for outcome in evaluator.calls.returns(method, arguments, index, point, world)
    ]
    if all(isinstance(value, Unknown) for value, _ in found):
        return []
    # What is not known is the same each time that it is asked for.
    unknown = Unknown(("item", base.key, key.key))
    return [(unknown if isinstance(value, Unknown) else value, w) for value, w in found]


def _slice(evaluator: Evaluator, base: Value, index: ast.Slice, point: Point, world: World) -> list[Outcome]:
    """The values of ``base[lower:upper:step]``."""
    if not isinstance(base, Items):
        return [(base if isinstance(base, Made) else slice_of(base), world)]
    bounds: list[int | None] = []
    for bound in (index.lower, index.upper, index.step):
        given = [value for value, _ in evaluator.values(bound, point, world)] if bound is not None else [NONE]
        number = given[0].value if len(given) == 1 and isinstance(given[0], Const) else False
        if isinstance(number, bool) or not isinstance(number, int | None):
            return [(Items(base.kind, base.items, True), world)]
        bounds.append(number)
    if bounds[2] == 0 or base.open:
        return [(Items(base.kind, base.items, True), world)]
    return [(Items(base.kind, base.items[slice(*bounds)]), world)]
