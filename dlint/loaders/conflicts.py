"""Arguments of a loader that conflict: surely, on some way through the program, or on every one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from dlint.calls.parameters.written import default_of
from dlint.evaluation.options.option import is_asked_for
from dlint.finding import Applicability
from dlint.knowledge.names import is_constructor
from dlint.loaders.loaders import MOST_WAYS, Loader
from dlint.source.expected_errors import expects_error, is_caught
from dlint.source.nodes import is_written_none, ways_of
from dlint.source.statements import FunctionNode, dotted, statements_in
from dlint.values.facts import fits
from dlint.values.places import places_around
from dlint.values.values import (
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Made,
    Partial,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import FOLDED, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


class Conflict(NamedTuple):
    """A conflict of arguments; ``always`` when every way to the call has it, ``as_it_stands`` when every way
    has it on which the user asks for no other value of an option."""

    always: bool
    as_it_stands: bool
    ways: tuple[dict[str, Value | None], ...]


# Calls of libraries that always give an object.
_NEVER_NONE = frozenset({"multiprocessing.get_context", "torch.multiprocessing.get_context"})
Judge = Callable[[dict[str, Value | None], World], bool]


def conflicts(loader: Loader, names: tuple[str, ...], judge: Judge) -> Conflict | None:
    """The conflict that ``judge`` sees in the arguments ``names`` together, if on some way it is sure and no
    test expects it."""
    found = loader.ways(*names)
    ways = [way for way in found if way[1].is_likely]
    seen = [(way, world) for way, world in ways if judge(way, world)]
    if not seen or any(expects_error(place.owner) for place in places_around(loader.point)):
        return None
    bad = [way for way, world in seen if _are_together(loader, way, world, judge)]
    if not bad:
        by_one = (conflicts(each, names, judge) for each in loader.by_callers())
        return next((Conflict(False, False, each.ways) for each in by_one if each is not None), None)
    told = len(found) < MOST_WAYS
    default = [judge(way, world) for way, world in ways if world.is_as_it_stands]
    return Conflict(told and len(bad) == len(ways), told and bool(default) and all(default), tuple(bad))


def _are_together(loader: Loader, way: dict[str, Value | None], world: World, judge: Judge) -> bool:
    """Whether arguments of a way that conflict surely come together: where what many ways to one of them have
    in common is all that is known, none of those ways need be a way to the other."""
    if not world.known(FOLDED):
        return True
    anything: dict[str, Value | None] = {name: Unknown(("anything", id(loader.call), name)) for name in way}
    alone = {
        name: [w for each, w in loader.ways(name) if _same(each[name], way[name]) and world.is_within(w)]
        for name in way
    }
    return any(
        judge({**anything, **{name: way[name] for name in names}}, world)
        and all(
            any(one.is_together_with(other) for one in alone[name] for other in alone[beside])
            for name, beside in combinations(names, 2)
        )
        for count in range(1, len(way) + 1)
        for names in combinations(way, count)
    )


def _same(one: Value | None, other: Value | None) -> bool:
    return one is other or (one is not None and other is not None and one.key == other.key)


def applicability(loader: Loader) -> Applicability:
    """How safe it is to take the conflict away: a program that catches the error works, in its way."""
    return "unsafe" if any(map(is_caught, places_around(loader.point))) else "safe"


def surely_given(value: Value | None, world: World) -> bool:
    """Whether an argument surely is there and not None."""
    match value:
        case None | Unknown() | External():
            return isinstance(value, Unknown) and bool(world.known(("truth", value.key)))
        case Const():
            return value.value is not None
        case Made():
            return (
                is_constructor(value.name)
                or value.name in _NEVER_NONE
                or bool(world.known(("truth", value.key)))
            )
        case Instance() | Items() | Table() | Function() | Class() | Partial():
            return True
    return False


def surely_true(value: Value | None, world: World) -> bool:
    """Whether an argument surely is there and true."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Unknown):
        return bool(world.known(("truth", value.key)))
    return False


def is_on(evaluator: Evaluator, value: Value | None, world: World) -> bool:
    """Whether an argument surely is there and true, or an option or a setting is that where the user asks for
    nothing, and the world is one in which it may be."""
    if surely_true(value, world):
        return True
    if value is None or not is_asked_for(value) or not world.is_as_it_stands:
        return False
    default = evaluator.options.by_default(value, world)
    return default is not None and bool(default.value) and fits(default, world.about(value.key))


def may_have_no_sampler(loader: Loader) -> bool:
    """Whether the function around a loader has ways without a sampler, though nothing yet comes by them:
    ``sampler = None`` above ``if self.balanced:``, ``Sampler(data) if distributed else None``, or a default
    None."""
    sampler, scope = loader.written("sampler"), loader.point.frame.scope
    if not isinstance(sampler, ast.Name) or not isinstance(scope, FunctionNode):
        return False
    given = [
        statement.value
        for statement in statements_in(scope.body)
        if isinstance(statement, ast.Assign) and any(dotted(each) == sampler.id for each in statement.targets)
    ]
    ways = [way for value in given for way in ways_of(value)]
    default = default_of(sampler.id, scope)
    return any(map(is_written_none, (*ways, default)))
