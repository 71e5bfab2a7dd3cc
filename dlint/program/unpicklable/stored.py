"""What pickle refuses of that which is stored in objects once they are made, on their way to workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dlint.fork.shipped import Part, shipped
from dlint.fork.unsendable import Kept, kind_stored
from dlint.objects.pickled_state import is_pickled
from dlint.program.handles.on_options import on_options
from dlint.program.program import Program
from dlint.program.stored.set_options import is_options, may_lack
from dlint.program.stored.stored_later import is_surely_before, stored_later
from dlint.program.unpicklable.nameless import Nameless, nameless
from dlint.values.frame import Point
from dlint.values.outcomes import each_once
from dlint.values.values import Instance, Key, Made, Value
from dlint.values.worlds import HERE
from dlint.workers.uses import WorkerUse

_APART = "keep it apart from the options that the dataset keeps"


class RefusedStore(NamedTuple):
    """What pickle refuses of that which a call stores in an attribute of an object, be it the thing itself
    (``kept``); ``cure``: what to do with that where it is not what is to be done with all of its kind."""

    into: tuple[Key, str]
    point: Point
    hazards: list[Nameless]
    kept: Kept | None
    cure: str
    at_once: bool


def refused_stores(
    program: Program, parts: Sequence[Part], use: WorkerUse, suspects: dict[Key, bool]
) -> Iterator[RefusedStore]:
    """What is stored in the objects that are sent, once these are made: what of it pickle refuses.
    ``suspects`` remembers of which values pickle may refuse something at all."""
    for part in parts:
        held = part.value
        if not (part.pickled and isinstance(held, Instance | Made)):
            continue
        holder = held.cls.name if isinstance(held, Instance) else held.name.rpartition(".")[2]
        of_options = isinstance(held, Made) and is_options(held.name)
        holder, cure = (part.place, _APART) if of_options else (holder, "")
        loading = use.loader.module if use.loader is not None else None
        for name, point, values, at_once, by in stored_later(program.evaluator, held, part.world, loading):
            if isinstance(held, Made) or is_pickled(program.evaluator, held.cls, name):
                place = f"{holder}.{name}"
                inside = [
                    each
                    for value, world in each_once(values)
                    if _is_suspect(program, value, suspects)
                    for each in shipped(program.evaluator, value, place, world)
                ]
                hazards = [
                    hazard for each in inside if (hazard := nameless(program.evaluator, each)) is not None
                ]
                written = getattr(point.statement, "value", None) or by
                # Of a handle that workers read DL403 tells.
                told = of_options and any(each.made.node is written for each in on_options(program, use))
                code = use.code if told or isinstance(held, Instance) else None
                kind = kind_stored(code, name, written, [value for value, _ in values])
                kept = None if kind is None else Kept(place, written, point.frame.module, kind)
                if (kept or (of_options and hazards)) and may_lack(program.evaluator, held, name):
                    continue
                yield RefusedStore((held.key, name), point, hazards, kept, cure, at_once)


def _is_suspect(program: Program, value: Value, known: dict[Key, bool]) -> bool:
    """Whether pickle refuses something that goes with a value on whatever way: one chain of transforms is
    stored for many loaders, and come to on many ways."""
    answer = known.get(value.key)
    if answer is None:
        program.evaluator.start()  # else what has been asked before decides it for all
        answer = known[value.key] = any(
            nameless(program.evaluator, part) is not None
            for part in shipped(program.evaluator, value, "", HERE)
        )
    return answer


def stored_before(program: Program, before: list[RefusedStore], use: WorkerUse) -> Iterator[RefusedStore]:
    """What is in the objects when a loader starts its workers: of an attribute that other things are stored
    in as well, nothing is known."""
    assert use.loader is not None
    for into in dict.fromkeys(each.into for each in before):
        stores = [each for each in before if each.into == into]
        sure = any(
            is_surely_before(program.evaluator, each.point, use.loader, at_once=each.at_once)
            for each in stores
        )
        if sure and all(each.hazards or each.kept for each in stores):
            yield from stores


def is_replaced(program: Program, part: Part, before: list[RefusedStore], use: WorkerUse) -> bool:
    """Whether something else stands in a part's place when a loader starts its workers."""
    assert use.loader is not None
    return any(
        each.into == part.into
        and is_surely_before(program.evaluator, each.point, use.loader, at_once=each.at_once)
        for each in before
    )
