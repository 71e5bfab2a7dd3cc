"""What going through a container of a library gives: what its constructor was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.evaluation.library.arguments import first
from dlint.knowledge.iterables import HOLDS_ARGUMENTS, HOLDS_FIRST
from dlint.knowledge.processes.pools import gives_results
from dlint.values.frame import Argument, Arguments
from dlint.values.values import Class, External, Function, Made, Partial, Table, Value

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.values.values import Key
    from dlint.values.worlds import World


CONTAINERS = HOLDS_FIRST | HOLDS_ARGUMENTS
_MAP = "builtins.map"
# Iterators that give things of these arguments as they are.
_GIVES_ON = {
    "builtins.filter": slice(1, 2),
    "itertools.chain": slice(0, None),
    "itertools.compress": slice(0, 1),
    "itertools.cycle": slice(0, 1),
    "itertools.dropwhile": slice(1, 2),
    "itertools.islice": slice(0, 1),
    "itertools.takewhile": slice(1, 2),
}


# What is only reckoned with leads nowhere.
_PLAIN = "builtins."
_OPENS = "builtins.open"


def elements_of(evaluator: Evaluator, made: Made, world: World) -> list[Value]:
    """What an object of a library gives one after the other, as far as that is known."""
    if made.name == _MAP or gives_results(made.name):
        return _mapped(evaluator, made, world)
    return contents_of(evaluator, made.name, made.arguments, world)


def _mapped(evaluator: Evaluator, made: Made, world: World) -> list[Value]:
    """What ``map(function, things)`` gives: what calling that with one of the things does."""
    given = made.arguments
    if len(given.positional) < 2 or given.spread or given.splats:
        return []
    function, *sources = given.positional
    if made.name != _MAP:
        del sources[1:]  # how many at a time
    if any(each.expression is None or each.element for each in sources):
        return []
    arguments = Arguments([Argument(each.expression, each.point, element=True) for each in sources])
    return [
        result
        for callee, w in evaluator.value_of(function, world)
        if _makes_objects(callee)
        for result, _ in evaluator.invoke(callee, arguments, made.node, made.point, w)
    ]


def _makes_objects(callee: Value) -> bool:
    if isinstance(callee, External):
        return not callee.name.startswith(_PLAIN) or callee.name == _OPENS
    return isinstance(callee, Class | Function | Partial)


def contents_of(evaluator: Evaluator, container: str, given: Arguments, world: World) -> list[Value]:
    """What an object of a library's class, made of some arguments, gives one after the other; nothing where
    it is no container, or that is not known."""
    if given.spread or (container not in CONTAINERS and container not in _GIVES_ON):
        return []
    if container in _GIVES_ON:
        sources = given.positional[_GIVES_ON[container]]
        return [
            each
            for source in sources
            for whole, _ in evaluator.value_of(source, world)
            for each in evaluator.containers.elements(whole)
        ]
    if container in HOLDS_ARGUMENTS and len(given.positional) > 1:
        held = [value for argument in given.positional for value, _ in evaluator.value_of(argument, world)]
    else:
        held = [
            each
            for whole, _ in first(evaluator, given, world)
            for each in _inside(evaluator, container, whole)
        ]
    found: dict[Key, Value] = {value.key: value for value in held}
    return list(found.values())


def _inside(evaluator: Evaluator, container: str, whole: Value) -> list[Value]:
    """What a container has of the only thing that it is made of, by names or not."""
    if container not in HOLDS_ARGUMENTS:
        return evaluator.containers.elements(whole)
    return list(whole.items.values()) if isinstance(whole, Table) else [whole]
