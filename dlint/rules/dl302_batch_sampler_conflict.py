"""A loader gets a batch sampler together with what the batch sampler decides.

## What it finds

- `batch_sampler` that is not None with a `batch_size` other than 1 (also an option's or a setting's default,
  or the one that the batch sampler is made with), `shuffle=True`, a `sampler` or `drop_last=True`;
- `batch_size=None` with `drop_last=True`;
- `sampler=BatchSampler(...)` while `batch_size` is not None, and no `collate_fn` takes the batch apart; or
  one of a class derived from it, or of a class of samplers that is made with a `batch_size` and yields lists,
  where `__getitem__` only looks its index up, or reckons with it.

Only where some way through the program surely has both, and not where a test expects the error
(`with pytest.raises(ValueError):`).

## Why is this bad

The first raises `ValueError: batch_sampler option is mutually exclusive with batch_size, shuffle, sampler,
and drop_last`, the second `ValueError: batch_size=None option disables auto-batching and is mutually
exclusive with drop_last`. The third raises nothing: lists of indices reach `__getitem__`, one list an item.

## Example

```python
loader = DataLoader(dataset, batch_size=8, batch_sampler=BatchSampler(sampler, 8, False))
```

Use instead:

```python
loader = DataLoader(dataset, batch_sampler=BatchSampler(sampler, 8, False))
```

## Level

- `error`, error: every way to the call gives both; `warning`, error: only some do, or the batch size is the
  batch sampler's and not known, and not 1.
- `error`, silent: `sampler=BatchSampler(...)`, of which no error tells; `warning`, silent: on some ways.

## Fix safety

Safe where every way to the call raises, or each gives it a batch sampler: beside one, only what the loader
has by itself raises nothing, a `batch_size` of 1 or `shuffle=False`. The arguments that the batch sampler
replaces go, with the comments on them and the names that were there for them alone; unsafe where a `try`
around the call catches the error. None for `sampler=BatchSampler(...)`: pass it as `batch_sampler`, or
`batch_size=None` where the dataset takes lists.

## References

- https://pytorch.org/docs/stable/data.html#loading-batched-and-non-batched-data
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from dlint.evaluation.options.option import is_asked_for
from dlint.finding import Effect, Remedy
from dlint.loaders.conflicts import Conflict, applicability, is_on, surely_given
from dlint.loaders.given.own_batches import gives_batches, size_given, takes_one
from dlint.loaders.loader_classes import conflicting
from dlint.loaders.loaders import MOST_WAYS, Loader
from dlint.program.conditions import SOME_WAYS, both
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.streams.items.items import is_default_collate
from dlint.values.facts import fits
from dlint.values.frame import Argument
from dlint.values.values import Const, Instance, Made, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_NAMES = ("batch_sampler", "batch_size", "shuffle", "sampler", "drop_last")
_OF_INDICES = ("sampler", "batch_size", "batch_sampler", "collate_fn")
_ONE, _TWO = Const(1), Const(2)
_BATCH_SAMPLERS = frozenset({"torch.utils.data.BatchSampler"})
Given: TypeAlias = dict[str, Value | None]
_Judge: TypeAlias = "Callable[[Evaluator, Given, World], bool]"
_Told: TypeAlias = "Callable[[Evaluator, Loader, Conflict], Found]"


def check(program: Program) -> Iterator[Found]:
    """Loaders whose batching arguments contradict each other on some way."""
    seen: set[int] = set()
    kinds: tuple[tuple[tuple[str, ...], tuple[str, ...], _Judge, _Told], ...] = (
        (_NAMES, ("batch_sampler",), _excludes, _batch_sampler),
        (("batch_size", "drop_last"), ("batch_size", "drop_last"), _unbatched_drop, _drop_last),
        (_OF_INDICES, ("sampler",), _batches_as_indices, _indices),
    )
    evaluator = program.evaluator
    for names, needs, judge, told in kinds:
        for loader, conflict in conflicting(program, names, partial(judge, evaluator), needs):
            if id(loader.call) not in seen:
                if judge is _batches_as_indices and not _is_item_by_item(program, loader, conflict):
                    continue
                seen.add(id(loader.call))
                yield told(evaluator, loader, conflict)


def _excludes(evaluator: Evaluator, given: Given, world: World) -> bool:
    return bool(_beside(evaluator, given, world))


def _beside(evaluator: Evaluator, given: Given, world: World) -> list[str]:
    """What is surely given beside a batch sampler."""
    if not surely_given(given["batch_sampler"], world):
        return []
    found = ["batch_size"] if _is_of_many(evaluator, given, world) is not False else []
    found += [name for name in ("shuffle", "drop_last") if is_on(evaluator, given[name], world)]
    return found + (["sampler"] if surely_given(given["sampler"], world) else [])


def _is_of_many(evaluator: Evaluator, given: Given, world: World) -> bool | None:
    """Whether a batch size is given that is not 1; None where it is that of the batch sampler, too, which may
    be any."""
    size = _by_default(evaluator, given["batch_size"], world)
    if size is None or isinstance(size, Const):
        return size is not None and size.value != 1
    about = world.about(size.key)
    if not fits(_ONE, about):
        return True
    return None if fits(_TWO, about) and _is_told(evaluator, given["batch_sampler"], size, world) else False


def _by_default(evaluator: Evaluator, size: Value | None, world: World) -> Value | None:
    """A number, or what an option or a setting is where the user asks for nothing, and the world is one in
    which it may be."""
    if size is None or not is_asked_for(size) or not world.is_as_it_stands:
        return size
    default = evaluator.options.by_default(size, world)
    return default if default is not None and fits(default, world.about(size.key)) else size


def _unbatched_drop(evaluator: Evaluator, given: Given, world: World) -> bool:
    size = given["batch_size"]
    return isinstance(size, Const) and size.value is None and is_on(evaluator, given["drop_last"], world)


def _batches_as_indices(evaluator: Evaluator, given: Given, world: World) -> bool:
    sampler, size = given["sampler"], given["batch_size"]
    if not (
        (isinstance(sampler, Made) and sampler.name in _BATCH_SAMPLERS) or gives_batches(evaluator, sampler)
    ):
        return False
    batched = size is None or (isinstance(size, Const) and size.value is not None)
    # Who has made batches of that many has no None there.
    batched = batched or (size is not None and _is_told(evaluator, sampler, size, world))
    # A collate_fn of its own may be there to take the one item out: `lambda batch: batch[0]`.
    plain = is_default_collate(given["collate_fn"])
    return batched and plain and given["batch_sampler"] is None


def _is_item_by_item(program: Program, loader: Loader, conflict: Conflict) -> bool:
    """Whether what gets batches of a class of the program for indices is no dataset that was written for
    them."""
    own = any(isinstance(way["sampler"], Instance) for way in conflict.ways)
    datasets = loader.values("dataset") if own else []
    return not own or (bool(datasets) and all(takes_one(program.evaluator, each) for each in datasets))


def _is_told(evaluator: Evaluator, sampler: Value | None, size: Value, world: World) -> bool:
    """Whether a batch sampler is told that its batches are of a size."""
    given: Argument | None = None
    if isinstance(sampler, Instance):
        given = size_given(evaluator, sampler)
    elif isinstance(sampler, Made) and sampler.name in _BATCH_SAMPLERS:
        given = sampler.arguments.keywords.get("batch_size")
        if given is None and len(sampler.arguments.positional) > 1:
            given = sampler.arguments.positional[1]
    return given is not None and any(value.key == size.key for value, _ in evaluator.value_of(given, world))


def _batch_sampler(evaluator: Evaluator, loader: Loader, conflict: Conflict) -> Found:
    beside = sorted(
        {name for way in conflict.ways for name in _beside(evaluator, way, HERE)}, key=_NAMES.index
    )
    names = ", ".join(beside)
    what = (
        f"batch_sampler is given together with {names}: DataLoader raises ValueError, as they "
        "exclude each other"
    )
    cure = f"leave out {names} where a batch_sampler is given"
    goes = conflict.always or _is_batched_by_sampler(loader)
    goes = goes and not any(_is_there_again(loader, name) for name in beside)
    found = _found(loader, conflict, what, "error", cure, beside, goes)
    if beside == ["batch_size"] and not any(_is_of_many(evaluator, way, HERE) for way in conflict.ways):
        return found._replace(condition=both(found.condition, "the batch size is not 1"))
    return found


def _is_there_again(loader: Loader, name: str) -> bool:
    """Whether the class of a loader gives an argument, too, where the call does not: one that conflicts, or
    nobody knows."""
    match loader.default_of_class(name):
        case None | ast.Constant(value=None | False):
            return False
        case ast.Constant(value=int(number)):
            return name != "batch_size" or number != 1
    return True


def _is_batched_by_sampler(loader: Loader) -> bool:
    """Whether every way to a call gives it a batch sampler: without what that excludes it then means what it
    means with all that raises nothing, a ``batch_size`` of 1 or a ``shuffle`` that is False."""
    ways = loader.ways("batch_sampler")
    torchs = loader.cls is None or loader.inherited  # no default of a class between
    return (
        torchs
        and len(ways) < MOST_WAYS
        and all(surely_given(way["batch_sampler"], world) for way, world in ways)
    )


def _drop_last(_: Evaluator, loader: Loader, conflict: Conflict) -> Found:
    what = (
        "batch_size=None is given together with drop_last=True: DataLoader raises ValueError, as "
        "there are no batches"
    )
    cure = "leave out drop_last where batch_size is None"
    return _found(loader, conflict, what, "error", cure, ["drop_last"], conflict.always)


def _indices(_: Evaluator, loader: Loader, conflict: Conflict) -> Found:
    samplers = [way["sampler"] for way in conflict.ways]
    name = next((each.cls.name for each in samplers if isinstance(each, Instance)), "BatchSampler")
    what = f"sampler={name}(...) with a batch_size hands __getitem__ whole lists of indices as one item"
    cure = "pass it as batch_sampler, or batch_size=None where the dataset takes lists"
    return _found(loader, conflict, what, "silent", cure, [], False)


def _found(
    loader: Loader, conflict: Conflict, what: str, effect: Effect, cure: str, names: list[str], goes: bool
) -> Found:
    """The finding; the arguments ``names`` can go, if that is right, where they are written."""
    condition = None if conflict.as_it_stands else SOME_WAYS
    remedy = None
    if goes and all(map(loader.may_leave_out, names)):
        remedy = Remedy(
            "drop_argument", applicability(loader), "Remove " + ", ".join(names), {"arguments": names}
        )
    marked = loader.written_here(*names)
    return Found(loader.module, loader.call, what, effect, cure, condition, remedy=remedy, marked=marked)
