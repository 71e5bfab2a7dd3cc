"""A dataset's __getitem__ lets StopIteration out.

## What it finds

`next(...)` in what a map-style dataset's `__getitem__` runs, without a default and without a `try` around it
that catches `StopIteration`, on an iterator that comes to an end: one that the dataset keeps
(`self.noises = iter(...)`, or a generator method of its own that goes over something finite), or that an
object which it calls keeps, or a search through a generator expression that may find nothing
(`next(x for x in items if x.score > limit)`). Also a `raise StopIteration` that stands in `__getitem__`
itself.

Iterators without an end (`itertools.cycle`), `next(iter(x))` for the first of something, the `__next__` of a
stream, and generators (where Python turns the StopIteration into a RuntimeError) are left alone, and so are
searches for an equal key, for a name that matches or for the place of the index among limits, which are
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
from dlint.knowledge.iterables import COLLECTS
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.source.nodes import walk
from dlint.source.statements import dotted, functions_in, parameters, self_name, statements_in
from dlint.streams.finite import comes_to_end
from dlint.streams.item_names import index_names, index_names_in, is_index, mentions
from dlint.streams.sources.streams import Streams
from dlint.values.frame import Point, layout_of
from dlint.values.functions import is_generator
from dlint.values.places import places_around, tests_around
from dlint.values.values import GENERATOR, External, Instance, Items
from dlint.values.worlds import World
from dlint.workers.events import Event, Visit
from dlint.workers.reach import Link
from dlint.workers.sharing import by_code
from dlint.workers.uses import WorkerUse

_ENTRIES = ("__getitem__", "__getitems__")
_MATCHES = frozenset({"startswith", "endswith", "match", "fullmatch", "search", "fnmatch"})
_CATCHES = frozenset({"StopIteration", "Exception", "BaseException"})


def check(program: Program) -> Iterator[Found]:
    """``next`` calls of map-style datasets that may end an epoch."""
    for uses in by_code(use for use in program.uses if use.dataset is not None):
        code, streams = uses[0].code, Streams(program.evaluator, partial(is_set_elsewhere, program, uses))
        reading = [
            event for event in code.events if event.name == "builtins.next" and event.role == "dataset"
        ]
        for event in code.each_way(reading) if code.instances else ():
            call = event.node
            if not isinstance(call, ast.Call) or len(call.args) != 1:
                continue
            program.evaluator.start()
            if _ends(program, uses, streams, call.args[0], event) and _gets_out(
                program, call, event.point, event.link
            ):
                yield _found(event, call)
        for visit in code.visits if code.instances else ():
            yield from _raised(visit)


def _raised(visit: Visit) -> Iterator[Found]:
    """``raise StopIteration`` in a ``__getitem__``, where it is not the index that is out of bounds."""
    function = visit.function.node
    if visit.link.above is not None or not isinstance(function, ast.FunctionDef):
        return
    if function.name not in _ENTRIES or is_generator(function):
        return
    if not any(isinstance(statement, ast.Return) for statement in statements_in(function.body)):
        return  # subclasses say what an item is
    index = index_names(function)
    for statement in statements_in(function.body):
        if not isinstance(statement, ast.Raise):
            continue
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        point = Point(visit.frame, statement)
        if not (isinstance(raised, ast.Name) and raised.id == "StopIteration") or _is_caught(point):
            continue
        if not any(_bounds(test, index) for test, _, _ in tests_around(point)) and not any(
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


def _bounds(test: ast.expr, index: frozenset[str]) -> bool:
    """Whether a test compares the index itself: a sampler gives none that is out of bounds."""
    return any(
        is_index(side, index)
        for node in walk(test)
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
    )


def _finds_place(test: ast.expr, given: frozenset[str], index: frozenset[str]) -> bool:
    """Whether a test compares the index itself with limits (``index < self.ends[k]``), or what a function
    is ``given`` with an element: the search for its place among them."""
    for node in walk(test):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if all(isinstance(side, ast.Name) for side in sides) and any(mentions(s, given) for s in sides):
                return True
            if any(is_index(side, index) for side in sides) and not any(map(_measures, sides)):
                return True
    return False


def _measures(side: ast.expr) -> bool:
    """Whether one side of a comparison is worked out from an element: no limit that is kept."""
    return any(isinstance(node, ast.Call) and dotted(node.func) != "len" for node in walk(side))


def _ends(program: Program, uses: list[WorkerUse], streams: Streams, source: ast.expr, event: Event) -> bool:
    """Whether an iterator surely has an end that a later item, or an unlucky one, comes to."""
    frame = event.point.frame
    if isinstance(source, ast.GeneratorExp):
        given = (
            frozenset(p.arg for p in parameters(frame.scope))
            if isinstance(frame.scope, ast.FunctionDef)
            else frozenset()
        )
        index = index_names_in(frame, _ENTRIES)
        tests = [test for generator in source.generators for test in generator.ifs]
        return bool(tests) and not any(_looks_up(test) or _finds_place(test, given, index) for test in tests)
    if (
        isinstance(source, ast.Attribute)
        and isinstance(frame.receiver, Instance)
        and isinstance(frame.scope, ast.FunctionDef)
        and dotted(source.value) == self_name(frame.scope)
    ):
        return not is_set_elsewhere(program, uses, frame.receiver, source.attr) and _kept_ends(
            program, streams, frame.receiver, source.attr, event.world
        )
    return False


def _looks_up(test: ast.expr) -> bool:
    """Whether a test compares with ``==``, ``in`` or ``is``, or a name with a pattern: the search for what is
    known to be there."""
    return any(
        isinstance(operator, ast.Eq | ast.In | ast.Is | ast.IsNot | ast.NotEq)
        for node in walk(test)
        if isinstance(node, ast.Compare)
        for operator in node.ops
    ) or any(
        isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] in _MATCHES
        for node in walk(test)
    )


def _kept_ends(program: Program, streams: Streams, instance: Instance, name: str, world: World) -> bool:
    """Whether an attribute is an iterator over something finite that the class sets only where it makes the
    object."""
    evaluator = program.evaluator
    stores = [
        function
        for above in evaluator.classes.line(instance.cls)
        for function in functions_in(above.node.body)
        if f"{self_name(function)}.{name}" in layout_of(function).binds
    ]
    if not stores:
        return False
    initialisers = {id(frame.scope): frame for _, frame in evaluator.initialisers.of(instance)}
    for function in stores:
        frame = initialisers.get(id(function))
        if frame is None:
            return False
        path = f"{self_name(function)}.{name}"
        for statement, w in evaluator.flow.definitions(path, Point(frame, None), world):
            if not isinstance(statement, ast.Assign):
                return False
            if not _is_finite_iterator(program, streams, statement.value, Point(frame, statement), w):
                return False
    return True


def _is_finite_iterator(
    program: Program, streams: Streams, node: ast.expr, point: Point, world: World
) -> bool:
    match node:
        case ast.Call(func=func, args=[ast.Call(func=inner), *_]) if (
            _called(program, func, point) == "builtins.iter" and _called(program, inner, point) in COLLECTS
        ):
            return True
        case ast.Call(func=func):
            name = _called(program, func, point)
            if name in COLLECTS:
                return False  # no iterator at all
            if name == "builtins.iter" and _are_lists(program, node.args, point, world):
                return True
            if name == "builtins.iter" and len(node.args) == 1:
                return comes_to_end(program.evaluator, streams, node.args[0], point, world)
            return streams.of_expression(node, point, world) is not None
        case ast.GeneratorExp():
            return streams.of_expression(node, point, world) is not None
        case ast.IfExp(test=test, body=body, orelse=orelse):
            ways = program.evaluator.truth(test, point, world)
            return bool(ways) and all(
                _is_finite_iterator(program, streams, body if result else orelse, point, w)
                for result, w in ways
            )
    return False


def _are_lists(program: Program, given: list[ast.expr], point: Point, world: World) -> bool:
    """Whether one argument is a list or the like, whatever is in it (``extra = list(torch.randn(2))``)."""
    values = [value for each in given[:1] for value, _ in program.evaluator.values(each, point, world)]
    return (
        len(given) == 1
        and bool(values)
        and all(isinstance(value, Items) and value.kind != GENERATOR for value in values)
    )


def _called(program: Program, func: ast.expr, point: Point) -> str | None:
    values = [value for value, _ in program.evaluator.values(func, point)]
    return values[0].name if len(values) == 1 and isinstance(values[0], External) else None


def _gets_out(program: Program, node: ast.AST, point: Point, link: Link) -> bool:
    """Whether a StopIteration at a place comes out of the dataset's ``__getitem__``."""
    while True:
        scope = point.frame.scope
        if not isinstance(scope, ast.FunctionDef) or is_generator(scope):
            return False
        if _is_caught(point) or _in_generator(point.statement, node):
            return False
        if link.above is None:
            return scope.name in _ENTRIES
        if link.caller is None or link.site is None or not _calls(program, link.site, link.caller):
            return False  # a library calls, and may catch it
        node, point, link = link.site, link.caller, link.above


def _calls(program: Program, site: ast.AST, point: Point) -> bool:
    """Whether the program itself calls there, and does not hand a library what to call."""
    if isinstance(site, ast.Call):
        callees = program.evaluator.values(site.func, point)
        return not all(isinstance(callee, External) for callee, _ in callees)
    return isinstance(site, ast.Subscript)


def _in_generator(statement: ast.stmt | None, node: ast.AST) -> bool:
    """Whether a node stands inside a generator expression of its statement."""
    return statement is not None and any(
        inner is node
        for generator in walk(statement)
        if isinstance(generator, ast.GeneratorExp)
        for inner in walk(generator)
    )


def _is_caught(point: Point) -> bool:
    for place in places_around(point):
        owner = place.owner
        handlers: list[ast.ExceptHandler] = getattr(owner, "handlers", []) if place.role == "body" else []
        if any(map(_catches, handlers)):
            return True
        if isinstance(owner, ast.With) and any(
            "suppress" in ast.unparse(i.context_expr) for i in owner.items
        ):
            return True
    return False


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any((dotted(each) or "").rpartition(".")[2] in _CATCHES for each in named)


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
