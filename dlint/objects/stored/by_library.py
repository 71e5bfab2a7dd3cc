"""What an object has from a class of a library that its own is derived from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.knowledge.loading import is_kept, kept_parameters
from dlint.knowledge.randomness import DRAWN_BY, GENERATORS
from dlint.values.frame import Arguments
from dlint.values.outcomes import Outcome
from dlint.values.values import External, Instance, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator


def kept_by_library(evaluator: Evaluator, instance: Instance, name: str, world: World) -> list[Outcome]:
    """What a library's constructor keeps in the attribute: ``super().__init__(root, transform=...)``."""
    if not is_kept(name):
        return []
    found: list[Outcome] = []
    for library, arguments in evaluator.initialisers.of_libraries(instance):
        parameters = kept_parameters(library, name)
        if parameters is None:
            continue
        if name in arguments.keywords:
            found += evaluator.value_of(arguments.keywords[name], world)
        elif name in parameters[: len(arguments.positional)]:
            found += evaluator.value_of(arguments.positional[parameters.index(name)], world)
        elif arguments.splats:
            for table, w in evaluator.containers.table(Arguments(splats=arguments.splats), world):
                if name in table.items:
                    found.append((table.items[name], w))
    return found


def of_generator(evaluator: Evaluator, base: Instance, name: str) -> Value | None:
    """What an object has from a library's generator that its class is derived from, and draws its numbers
    from: ``class Dice(random.Random)``. One that says itself where its numbers come from is another."""
    if base.point is None or base.node is None:
        return None
    classes = evaluator.classes
    kinds = sorted(classes.libraries(base.cls) & GENERATORS.keys())
    if len(kinds) != 1 or any(classes.member(base.cls, own) for own in DRAWN_BY):
        return None
    made = Made(kinds[0], base.node, base.arguments or Arguments(), base.point)
    return External(f"{made.name}().{name}", made)
