"""What calls of an object's methods put in a list or dict that it keeps, once it is made:
``shards.add("train", path)``, where ``add`` stores what it opens under the name that it is given."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from dlint.fork.held_handles import is_own, stored_into, things_in
from dlint.fork.ways.surely import is_sure
from dlint.program.stored.stored_later import Later, calls_of, is_at_once, worlds_of
from dlint.source.statements import functions_in, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.values import Function, Instance
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


def put_by_calls(
    evaluator: Evaluator, instance: Instance, world: World, names: Collection[str]
) -> Iterator[Later]:
    """What methods of an object surely put in attributes of some names, by each call on what somebody has."""
    for above in evaluator.classes.line(instance.cls) if instance.node is not None else ():
        outer = Frame(above.module, above.node, above.frame)
        for function in functions_in(above.node.body):
            puts = [
                (statement, *put)
                for statement in statements_in(function.body)
                if (put := stored_into(statement)) is not None and put[0].attr in names
            ]
            if not puts or function.name.startswith("__"):
                continue
            bound = Function(function, outer, instance, above)
            for given in calls_of(evaluator, bound):
                for reached in worlds_of(evaluator, given, instance, world):
                    frame = evaluator.calls.enter(bound, given.arguments, given.node, given.point)
                    for statement, held, value in puts:
                        at = Point(frame, statement)
                        if is_own(held, frame) and is_sure(evaluator, at):
                            found = evaluator.values(value, at, reached)
                            values = [(each, w) for whole, w in found for each in things_in(whole)]
                            once = is_at_once(instance, given.point)
                            yield Later(held.attr, given.point, values, once, given.node)
