"""A loader gets both a sampler and shuffle=True.

## What it finds

A `DataLoader(...)` with a `sampler` that is not None while `shuffle` is true, on some way through the
program. `shuffle=(sampler is None)`, opposite branches and the like are understood: where every way has only
one of the two, nothing is reported. In a subclass of DataLoader the call of `super().__init__` is judged.
The default of an option counts, and that of a setting (`_C.SHUFFLE = True` of a yacs config) that nothing
else in the project sets: where files are read into the settings, the project has some, and none of them sets
it. What a test expects to raise (`with pytest.raises(ValueError):`) is left alone.

## Why is this bad

The constructor raises: `ValueError: sampler option is mutually exclusive with shuffle`.

## Example

```python
loader = DataLoader(dataset, sampler=DistributedSampler(dataset), shuffle=True)
```

Use instead:

```python
loader = DataLoader(dataset, sampler=DistributedSampler(dataset, shuffle=True))
```

## Level

- `error`, error: every way to the call gives both, as long as nobody asks for other options or settings.
- `warning`, error: only some do.

## Fix safety

Safe where every way to the call raises, or all give a sampler: the `shuffle` argument goes, the sampler
decides the order; with it go the comments on it, and a name that was there for it alone. Where only some ways
raise, and others have no sampler, `shuffle=True` becomes `shuffle=sampler is None` (`shuffle=shuffle` becomes
`shuffle=shuffle and sampler is None`), where both are written at the call: the ways that worked are as
before. Unsafe where a `try` around the call catches the error: the program then works without the loader.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.loaders.conflicts import (
    Conflict,
    applicability,
    is_on,
    may_have_no_sampler,
    surely_given,
    surely_true,
)
from dlint.loaders.loader_classes import conflicting
from dlint.loaders.loaders import MOST_WAYS, Loader
from dlint.program.conditions import SOME_WAYS
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.statements import FunctionNode, dotted, given_by_name
from dlint.values.values import Value
from dlint.values.worlds import World


def check(program: Program) -> Iterator[Found]:
    """Loaders that get a sampler and shuffle on some way."""
    names = ("sampler", "shuffle")

    def both(given: dict[str, Value | None], world: World) -> bool:
        return surely_given(given["sampler"], world) and is_on(program.evaluator, given["shuffle"], world)

    for loader, conflict in conflicting(program, names, both, names):
        yield _found(program, loader, conflict)


def _found(program: Program, loader: Loader, conflict: Conflict) -> Found:
    remedy = None
    cure = "write shuffle=sampler is None, so that only one of the two is given"
    if (conflict.always or _always_samples(loader)) and not _is_spared(loader):
        cure = "leave out shuffle, the sampler decides the order"
        if loader.may_leave_out("shuffle"):
            remedy = Remedy(
                "drop_argument", applicability(loader), "Remove shuffle", {"arguments": ["shuffle"]}
            )
        elif loader.keyword("shuffle") is not None:
            cure = "give shuffle=False, the sampler decides the order"
        elif loader.cls is not None and not loader.inherited and loader.written("shuffle") is None:
            cure = f"{loader.cls.name} gives its base class both: leave out shuffle there"
    elif loader.written("sampler") is None and loader.written("shuffle") is None:
        cure = f"give only one of the two{_given_at(program, loader)}"
    elif _is_plain(loader):
        summary = "Shuffle only where there is no sampler"
        remedy = Remedy("shuffle_without_sampler", applicability(loader), summary)
    return Found(
        loader.module,
        loader.call,
        "sampler and shuffle=True are both given: DataLoader raises ValueError, as they exclude each other",
        "error",
        cure,
        None if conflict.as_it_stands else SOME_WAYS,
        remedy=remedy,
        marked=loader.written_here("sampler", "shuffle"),
    )


def _always_samples(loader: Loader) -> bool:
    """Whether a library's loader has a sampler on every way to its call: those that worked are the same
    without shuffle."""
    ways = loader.ways("sampler")
    surely = len(ways) < MOST_WAYS and all(surely_given(way["sampler"], world) for way, world in ways)
    return surely and (loader.cls is None or loader.inherited)


def _is_spared(loader: Loader) -> bool:
    """Whether the function around a loader has ways without a sampler, by which the loader shuffles."""
    return _is_plain(loader) and may_have_no_sampler(loader)


def _given_at(program: Program, loader: Loader) -> str:
    """Where a caller of the function around a loader gives both, in words."""
    frame = loader.point.frame
    evaluator = program.evaluator
    for site in evaluator.sites.of(frame.scope, frame) if isinstance(frame.scope, FunctionNode) else ():
        given = given_by_name(site.call)
        if given.keys() >= {"sampler", "shuffle"} and any(
            surely_true(value, world) for value, world in evaluator.values(given["shuffle"], site.point)
        ):
            return f" at {site.point.frame.module.relative}:{site.call.lineno}"
    return ""


def _is_plain(loader: Loader) -> bool:
    """Whether both arguments are written at the call of a library's loader, so that one can wait for the
    other."""
    sampler, shuffle = loader.written("sampler"), loader.written("shuffle")
    if sampler is None or shuffle is None or dotted(sampler) is None or not loader.may_leave_out("shuffle"):
        return False
    return not isinstance(shuffle, ast.Constant) or shuffle.value is True
