"""A dataset's __getitem__ lets StopIteration out.

## What it finds

`next(...)` in what a map-style dataset's `__getitem__` runs, in a worker or in the main process, without a
default and without a `try` around it that catches `StopIteration`, on an iterator that comes to an end: one
that the dataset keeps (`self.noises = iter(...)`, or a generator method of its own that goes over something
finite, a loader of a map-style dataset that no sampler but torch's chooses from, or `zip`, `chain` and the
like of such things), be it made by a method that the constructor alone calls, or at its first need (`if
self.noises is None:`), by a property as well, one of several that it keeps so in a list or dict, or that an
object which it calls keeps, itself or through the transforms of torchvision and the like
(`Compose([Blend(folder)])`), one that the function around a transform has, or the module, or a search through
a generator expression or a `filter` that may find nothing (`next(x for x in items if x.score > limit)`), be
it by a name. Also a `raise StopIteration` that stands in `__getitem__` itself.

Iterators without an end (`itertools.cycle`) or made anew now and then, `next(iter(x))` for the first of
something, the `__next__` of a stream, generators (where Python turns the StopIteration into a RuntimeError)
and transforms of a library that makes another error of it (MONAI's `Compose`) are left alone, as is what a
decorator may catch that tries again, and so are searches for an equal key (but those of a kind that must
reach a limit, too: `x.kind == 1 and x.area > 32`), for a name that matches, for a file that exists, or for
the place of the index among limits (not of an image's size among bins, `b >= max(image.shape)`), which are
there by construction, and `raise StopIteration` where the index is out of bounds, which no sampler gives.

## Why is this bad

StopIteration is how an iteration says that it is over, and so the training loop takes it: as measured, the
epoch is **silently cut short**, the rest of the data is never seen, and nothing is printed.

## Example

```python
class Mixed(Dataset):
    def __init__(self, images, noises):
        self.images = images
        self.noises = iter(list(noises))

    def __getitem__(self, index):
        return self.images[index] + next(self.noises)
```

Use instead:

```python
    def __getitem__(self, index):
        return self.images[index] + self.noises[index % len(self.noises)]
```

## Level

- `error`, silent: the epoch is cut short.

## Fix safety

No remedy: whether to begin again, take a default or raise another error is the author's choice.

## References

- https://docs.python.org/3/library/exceptions.html#StopIteration
- https://peps.python.org/pep-0479/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from dlint.fork.set_elsewhere import is_set_elsewhere
from dlint.program.let_out import ENTRIES, gets_out, is_caught, is_caught_around
from dlint.program.program import Program
from dlint.program.searches import are_for_unsure, searches_of
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    dotted,
    own_names,
    parameters,
    self_name,
    statements_in,
    target_names,
)
from dlint.streams.ends.kept import behind_property, kept_around_ends, kept_ends, kept_entries_end
from dlint.streams.items.names import index_names, is_index
from dlint.streams.sources.streams import Streams
from dlint.values.frame import Frame, Point
from dlint.values.functions import is_generator
from dlint.values.places import places_around, tests_around
from dlint.values.values import Instance
from dlint.workers.events import Event, Visit
from dlint.workers.in_parent import read_in_parent
from dlint.workers.sharing import by_code
from dlint.workers.uses import WorkerUse

_WORDS = regex(r"\bnext\(|\bStopIteration\b")


def check(program: Program) -> Iterator[Found]:
    """``next`` calls of map-style datasets that may end an epoch."""
    is_test = program.modules.index.is_test
    loaders = (each for each in program.loaders if not is_test(each.module.relative))
    alone = read_in_parent(program.evaluator, loaders, program.code_of, _WORDS)
    for uses in by_code((*(use for use in program.uses if use.dataset is not None), *alone)):
        code, streams = uses[0].code, Streams(program.evaluator, partial(is_set_elsewhere, program, uses))
        taking = [event for event in code.events if event.name == "builtins.next" and event.role == "dataset"]
        for event in code.each_way(taking) if code.instances else ():
            call = event.node
            if not isinstance(call, ast.Call) or len(call.args) != 1:
                continue
            program.evaluator.start()
            if _ends(program, uses, streams, call.args[0], event) and gets_out(
                program, uses, call, event.point, event.link
            ):
                yield _found(event, call)
        for visit in code.visits if code.instances else ():
            yield from _raised(program, visit)


def _raised(program: Program, visit: Visit) -> Iterator[Found]:
    """``raise StopIteration`` in a ``__getitem__``, where it is not the index that is out of bounds."""
    function = visit.function.node
    if visit.link.above is not None or not isinstance(function, ast.FunctionDef):
        return
    if function.name not in ENTRIES or is_generator(function):
        return
    if not any(isinstance(statement, ast.Return) for statement in statements_in(function.body)):
        return  # subclasses say what an item is
    index = index_names(function)
    for statement in statements_in(function.body):
        if not isinstance(statement, ast.Raise):
            continue
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        point = Point(visit.frame, statement)
        if not (isinstance(raised, ast.Name) and raised.id == "StopIteration") or is_caught(point):
            continue
        if function.decorator_list and is_caught_around(program, function, visit.frame):
            continue
        if not any(_bounds(test, outcome, index) for test, outcome, _ in tests_around(point)) and not any(
            isinstance(place.owner, ast.ExceptHandler)
            and (dotted(place.owner.type) if place.owner.type else "") == "IndexError"
            for place in places_around(point)
        ):
            yield Found(
                visit.function.module,
                statement,
                "StopIteration comes out of __getitem__: the training loop takes it for the end of the epoch",
                "silent",
                "raise another error, or let __len__ say how many items there are",
            )


def _bounds(test: ast.expr, outcome: bool, index: frozenset[str]) -> bool:
    """Whether a test compares the index itself, and comes out as where it is out of bounds: a sampler gives
    none that is. Behind ``if index >= len(self): raise IndexError`` it is within them."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _bounds(inner, not outcome, index)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            if is_index(right, index) and isinstance(operator, ast.Gt | ast.GtE):
                return not outcome
            if is_index(left, index) and isinstance(operator, ast.Lt | ast.LtE):
                return not outcome
            if (is_index(left, index) and isinstance(operator, ast.Gt | ast.GtE)) or (
                is_index(right, index) and isinstance(operator, ast.Lt | ast.LtE)
            ):
                return outcome
    return any(
        is_index(side, index)
        for node in walk(test)
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
    )


def _ends(program: Program, uses: list[WorkerUse], streams: Streams, source: ast.expr, event: Event) -> bool:
    """Whether an iterator surely has an end that a later item, or an unlucky one, comes to."""
    frame = event.point.frame
    searches = searches_of(program, source, event.point, event.world)
    if searches:
        return are_for_unsure(program, searches, event)
    if isinstance(source, ast.Name) and _is_around(source.id, frame):
        return kept_around_ends(program.evaluator, streams, source.id, frame, event.world)
    if not isinstance(frame.receiver, Instance) or not isinstance(frame.scope, ast.FunctionDef):
        return False
    source = _named(program, source, event)
    held, ends = _several(source, frame.scope), kept_entries_end
    if isinstance(source, ast.Attribute):
        held, ends = source, kept_ends
    if not isinstance(held, ast.Attribute) or dotted(held.value) != self_name(frame.scope):
        return False
    name = behind_property(program.evaluator, frame.receiver, held.attr)
    return not is_set_elsewhere(program, uses, frame.receiver, name) and ends(
        program.evaluator, streams, frame.receiver, name, event.world
    )


def _named(program: Program, source: ast.expr, event: Event) -> ast.expr:
    """The attribute that a variable of the function is another name for: ``rows = self.rows``."""
    if not isinstance(source, ast.Name) or source.id not in event.point.frame.layout.binds:
        return source
    bound = program.evaluator.flow.assigned(source.id, event.point, event.world)
    return bound[0] if bound is not None and isinstance(bound[0], ast.Attribute) else source


def _is_around(name: str, frame: Frame) -> bool:
    """Whether a function has what a name stands for from around it."""
    return (
        isinstance(frame.scope, FunctionNode)
        and name not in frame.layout.binds
        and all(each.arg != name for each in parameters(frame.scope))
        and not any(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
            for node in walk(frame.scope)  # of a comprehension
        )
    )


def _several(source: ast.expr, function: ast.FunctionDef) -> ast.expr | None:
    """What holds several things of which one is read: ``self.streams[k]``, or what a comprehension or a loop
    goes through for it."""
    match source:
        case ast.Subscript(value=held):
            return held
        case ast.Name(id=name):
            through = [
                node
                for node in walk(function)
                if isinstance(node, ast.For | ast.comprehension) and name in target_names(node.target)
            ]
            bound = [
                each
                for each in statements_in(function.body)
                if name in own_names(each) and not isinstance(each, ast.For)
            ]
            match [(each.target, each.iter) for each in through]:
                case [
                    (
                        ast.Tuple(elts=[_, ast.Name(id=second)]),
                        ast.Call(func=ast.Attribute(value=held, attr="items"), args=[])
                        | ast.Call(func=ast.Name(id="enumerate"), args=[held]),
                    )
                ] if second == name and not bound:
                    return held
                case [(ast.Name(), ast.Call(func=ast.Attribute(value=held, attr="values"), args=[]) | held)]:
                    return held if not bound else None
    return None


def _found(event: Event, call: ast.Call) -> Found:
    return Found(
        event.module,
        call,
        f"next({brief(call.args[0], 24)}) lets StopIteration out of __getitem__: the training "
        "loop takes it for the end",
        "silent",
        "give next a default, or begin again",
        None,
        event.link.steps("next", event.module, call),
        by_hand="read by position instead of by next, begin again on StopIteration, or give next a default",
    )
