"""What is stored in an object once it is made, by who has it: ``dataset.set_scale(2)``, ``dataset.transform =
augment``, also where that is a property whose setter stores it.

Only what is sure counts: the call or the assignment is surely of this very object, and the method always
stores.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.order import always_comes_to, surely_comes_before
from dlint.knowledge.loading import ITEM_PARTS, is_dataset, kept_parameters
from dlint.program.stored.set_options import is_options, set_on_options
from dlint.source.closures import trail_to
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, dotted, functions_in, self_name, statements_in
from dlint.values.frame import Argument, Arguments, Frame, Point, layout_of
from dlint.values.outcomes import Outcome
from dlint.values.values import Function, Instance, Key, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.loaders import Loader
    from dlint.source.module import Module


_ENTERS = "__enter__"


class Later(NamedTuple):
    """What an attribute holds from a point on, at which a call or an assignment stands. ``at_once``: the
    function that makes the object always comes to that point before anybody else has it. ``by`` is what
    stands there."""

    name: str
    point: Point
    values: list[Outcome]
    at_once: bool
    by: ast.expr


class Given(NamedTuple):
    """What an object is given: where the object stands, the arguments, by which node, and where that is."""

    holder: ast.expr
    arguments: Arguments
    node: ast.expr
    point: Point


def stored_later(
    evaluator: Evaluator,
    instance: Instance | Made,
    world: World,
    loading: Module | None = None,
    only: Collection[str] | None = None,
) -> Iterator[Later]:
    """What is stored in an object after it was made, by calls of its methods and by assignments (``only`` in
    attributes of these names); in a library's dataset, in place of the transforms and the like that it keeps;
    in options, as others, where these are made and by the file that is ``loading``."""
    if instance.node is None:
        return
    if isinstance(instance, Made):
        for name in _settable(evaluator, instance, loading):
            yield from _by_assignments(evaluator, instance, name, world)
        return
    seen: set[str] = set()
    attributes: set[str] = set()
    for above in evaluator.classes.line(instance.cls):
        outer = Frame(above.module, above.node, above.frame)
        attributes |= outer.layout.binds
        for function in functions_in(above.node.body):
            attributes |= layout_of(function).reads.get(self_name(function), {}).keys()
            setter = _set_by(function)
            mark = f"{function.name} =" if setter else function.name
            names = evaluator.construction.bound_by(instance.cls, function)
            attributes |= names
            if mark in seen or not names or (function.name.startswith("__") and function.name != _ENTERS):
                continue
            seen.add(mark)
            if only is not None and names.isdisjoint(only):
                continue
            bound = Function(function, outer, instance, above)
            giving = calls_of(evaluator, bound)
            if setter:
                giving = _assigned(evaluator, function.name, instance)
            elif function.name == _ENTERS:
                giving = _entered(evaluator, instance)
            for given in giving:
                for reached in worlds_of(evaluator, given, instance, world):
                    frame = evaluator.calls.enter(bound, given.arguments, given.node, given.point)
                    for name in sorted(names if only is None else names.intersection(only)):
                        values = _stored(evaluator, frame, instance, name, reached)
                        if values:
                            yield Later(
                                name, given.point, values, is_at_once(instance, given.point), given.node
                            )
    attributes -= evaluator.classes.properties(instance.cls).keys()
    for name in sorted(attributes if only is None else attributes.intersection(only)):
        yield from _by_assignments(evaluator, instance, name, world)


def _settable(evaluator: Evaluator, made: Made, loading: Module | None) -> tuple[str, ...]:
    """The attributes of a library's object that others are looked for who set them."""
    if is_options(made.name):
        return set_on_options(evaluator, made, loading)
    parts = ITEM_PARTS if is_dataset(made.name) else ()
    return tuple(name for name in parts if kept_parameters(made.name, name) is not None)


def is_surely_before(
    evaluator: Evaluator, point: Point, loader: Loader, by: ast.expr | None = None, *, at_once: bool
) -> bool:
    """Whether what is stored at a point, ``by`` a call, is there before a loader is made, which some other
    function makes where the one that makes the object stores it (``at_once``)."""
    if at_once and point.frame.scope is not loader.point.frame.scope:
        return True
    return surely_comes_before(evaluator, point, loader, by)


def _by_assignments(
    evaluator: Evaluator, instance: Instance | Made, name: str, world: World
) -> Iterator[Later]:
    for given in _assigned(evaluator, name, instance):
        for reached in worlds_of(evaluator, given, instance, world):
            values = evaluator.value_of(given.arguments.positional[0], reached)
            yield Later(name, given.point, values, is_at_once(instance, given.point), given.node)


def worlds_of(evaluator: Evaluator, given: Given, instance: Instance | Made, world: World) -> Iterator[World]:
    """The worlds in which something is given to an object, and to no other."""
    for reached in evaluator.flow.reaching(given.point, world):
        holders = evaluator.values(given.holder, given.point, reached)
        if holders and all(_is(value, instance, given.point) for value, _ in holders):
            yield reached


def _is(value: Value, instance: Instance | Made, point: Point) -> bool:
    """Whether a value at a point is an object: by its key, or what the function around the point makes each
    time that it is called."""
    return value.key == instance.key or (
        isinstance(value, Instance | Made)
        and value.node is instance.node
        and isinstance(point.frame.scope, FunctionNode)
        and any(node is instance.node for node in walk(point.frame.scope))
    )


def is_at_once(instance: Instance | Made, point: Point) -> bool:
    """Whether the function around a point makes an object itself, and always comes to the point then; but for
    options, which a whole script has, while it makes loaders and when it is done with them."""
    if isinstance(instance, Made) and is_options(instance.name):
        return False
    return always_comes_to(point) and any(node is instance.node for node in walk(point.frame.scope))


def _set_by(function: FunctionNode) -> bool:
    """Whether a function is what assigning to a property calls."""
    return any(
        isinstance(each, ast.Attribute) and each.attr == "setter" and isinstance(each.value, ast.Name)
        for each in function.decorator_list
    )


def calls_of(evaluator: Evaluator, method: Function) -> Iterator[Given]:
    """The calls of a method on what somebody has, and not on its own object."""
    assert isinstance(method.node, FunctionNode)
    plain = Frame(method.module, method.node, method.frame, owner=method.owner)
    for site in evaluator.sites.of(method.node, plain):
        if isinstance(site.call.func, ast.Attribute):
            yield Given(site.call.func.value, site.arguments, site.call, site.point)


def _entered(evaluator: Evaluator, instance: Instance) -> Iterator[Given]:
    """The ``with`` that enters an object: the one that makes it, one of a name of its function, or of an
    attribute in which a method of the same class keeps it."""
    for module in evaluator.modules.naming(instance.cls.name):
        if "with " not in module.text:
            continue
        for trail in module.paths_to(instance.cls.name):
            scope = next((each for each in reversed(trail) if isinstance(each, FunctionNode)), module.tree)
            if not any(node is instance.node for node in trail):
                continue
            kept = {
                path
                for each in trail
                if isinstance(each, ast.Assign)
                for target in each.targets
                if isinstance(target, ast.Attribute) and (path := dotted(target)) is not None
            }
            around = next((each for each in reversed(trail) if isinstance(each, ast.ClassDef)), None)
            others = functions_in(around.body) if kept and around is not None else []
            for entered in _with(scope, *others):
                here = isinstance(entered, ast.Name) and any(node is entered for node in walk(scope))
                if entered is instance.node or here or dotted(entered) in kept:
                    inside = trail_to(module.tree, entered)
                    if inside is not None:
                        point = evaluator.sites.point_of(module, inside)
                        yield Given(entered, Arguments(), entered, point)


def _with(*scopes: FunctionNode | ast.Module) -> Iterator[ast.expr]:
    """What some scopes enter by ``with``."""
    for scope in {id(each): each for each in scopes}.values():
        for statement in statements_in(scope.body):
            for item in statement.items if isinstance(statement, ast.With) else ():
                yield item.context_expr


def _assigned(evaluator: Evaluator, name: str, instance: Instance | Made) -> Iterator[Given]:
    """What is assigned to an attribute of what may be an object."""
    if not evaluator.modules.index.stored_elsewhere(name):
        return
    found = evaluator.kept.setdefault(_Assigned, _Assigned())
    assert isinstance(found, _Assigned)
    for given, keys, nodes in found.to(evaluator, name):
        if instance.key in keys or id(instance.node) in nodes:
            yield given


class _Assigned:
    """The assignments to attributes of each name, with the keys of what holds the attribute, whatever else is
    so, and the ids of what makes that."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[Given, frozenset[Key], frozenset[int]]]] = {}

    def to(self, evaluator: Evaluator, name: str) -> list[tuple[Given, frozenset[Key], frozenset[int]]]:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = []
            for store in evaluator.attributes.outside.stores(name):
                if store.value is not None:
                    given = Arguments([Argument(store.value, store.point)])
                    held = [value for value, _ in evaluator.values(store.target.value, store.point)]
                    made = [each.node for each in held if isinstance(each, Instance | Made)]
                    known.append(
                        (
                            Given(store.target.value, given, store.target, store.point),
                            frozenset(each.key for each in held),
                            frozenset(map(id, made)),
                        )
                    )
        return known


def _stored(evaluator: Evaluator, frame: Frame, instance: Instance, name: str, world: World) -> list[Outcome]:
    """What a method surely stores in an attribute, in its calls of others too."""
    stores = evaluator.construction.after(frame, instance, name, world)
    if None in stores:
        return []
    return [
        outcome
        for path, point, w in filter(None, stores)
        if point.statement is not None
        for outcome in evaluator.names.defined(point.statement, path, point.frame, w)
    ]
