"""A dataset's __getitem__ lets StopIteration out.

## What it finds

`next(...)` in what a map-style dataset's `__getitem__` runs, in a worker or in the main process, without a
default and without a `try` around it that catches `StopIteration`, on an iterator that comes to an end: one
that the dataset keeps (`self.noises = iter(...)`, or a generator method of its own that goes over something
finite, or `zip`, `chain` and the like of such things), be it made by a method that the constructor alone
calls, or at its first need (`if self.noises is None:`), by a property as well, one of several that it keeps
so in a list or dict, or that an object which it calls keeps, itself or through the transforms of torchvision
and the like (`Compose([Blend(folder)])`), one that the function around a transform has, or the module, or a
search through a generator expression or a `filter` that may find nothing
(`next(x for x in items if x.score > limit)`), be it by a name. Also a `raise StopIteration` that stands in
`__getitem__` itself.

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
import re
from collections.abc import Iterator
from functools import partial

from dlint.fork.set_elsewhere import is_set_elsewhere
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    dotted,
    own_names,
    parameters,
    self_name,
    statement_at,
    statements_in,
    target_names,
)
from dlint.streams.finite import behind_property, kept_around_ends, kept_ends, kept_entries_end
from dlint.streams.item_names import index_names, index_names_in, is_index, mentions
from dlint.streams.sources.streams import Streams
from dlint.values.frame import Frame, Point
from dlint.values.functions import is_generator, passed
from dlint.values.places import places_around, tests_around
from dlint.values.values import Class, External, Function, Instance, Made
from dlint.values.worlds import HERE, World
from dlint.workers.events import Event, Visit
from dlint.workers.in_parent import read_in_parent
from dlint.workers.parts.composed import lets_out
from dlint.workers.reach import Link
from dlint.workers.sharing import by_code
from dlint.workers.uses import WorkerUse

_ENTRIES = ("__getitem__", "__getitems__")
_MATCHES = frozenset({"startswith", "endswith", "match", "fullmatch", "search", "fnmatch"})
_EXISTS = frozenset({"exists", "is_file", "isfile", "is_dir", "isdir"})
_WORDS = re.compile(r"\bnext\(|\bStopIteration\b")
_SIZES = frozenset({"shape", "size", "width", "height"})
_FAR = 3  # variables that are made of variables
# What puts nothing around a function that would catch its errors.
_CATCH_NOTHING = ("abc.", "builtins.", "functools.", "torch.", "typing.", "typing_extensions.")
_CATCHES = frozenset({"StopIteration", "Exception", "BaseException"})


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
            if _ends(program, uses, streams, call.args[0], event) and _gets_out(
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
        if function.decorator_list and _is_caught_around(program, function, visit.frame):
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


def _sizes(program: Program, link: Link) -> frozenset[str]:
    """The parameters of the function that a reach comes to last, to which its caller gives how large
    something is: what an item is tells it, and no index does."""
    function, caller = link.function, link.caller
    if function is None or caller is None or not isinstance(link.site, ast.Call):
        return frozenset()
    given, index = passed(function, link.site), index_names_in(caller.frame, _ENTRIES)
    return frozenset(
        name for name, each in given.items() if not mentions(each, index) and _is_size(program, each, caller)
    )


def _is_size(program: Program, node: ast.expr, point: Point, far: int = 0) -> bool:
    """Whether something surely is a size of something, or made of one: ``max(image.shape)``."""
    if isinstance(node, ast.Name) and node.id in point.frame.layout.binds and far < _FAR:
        made = [each for each, _ in program.evaluator.flow.definitions(node.id, point, HERE)]
        return bool(made) and all(
            isinstance(each, ast.Assign) and _is_size(program, each.value, Point(point.frame, each), far + 1)
            for each in made
        )
    own = self_name(point.frame.scope) if isinstance(point.frame.scope, ast.FunctionDef) else None
    return any(
        isinstance(each, ast.Attribute)
        and each.attr in _SIZES
        and (dotted(each) or "").partition(".")[0] != own
        for each in walk(node)
    )


def _measures(side: ast.expr) -> bool:
    """Whether one side of a comparison is worked out from an element: no limit that is kept."""
    return any(isinstance(node, ast.Call) and dotted(node.func) != "len" for node in walk(side))


def _ends(program: Program, uses: list[WorkerUse], streams: Streams, source: ast.expr, event: Event) -> bool:
    """Whether an iterator surely has an end that a later item, or an unlucky one, comes to."""
    frame = event.point.frame
    searches = _searches(program, source, event.point, event.world)
    if searches:
        given = (
            frozenset(p.arg for p in parameters(frame.scope)) - _sizes(program, event.link)
            if isinstance(frame.scope, ast.FunctionDef)
            else frozenset()
        )
        index = index_names_in(frame, _ENTRIES)
        return all(
            bool(tests)
            and (_is_limited(tests) or not any(map(_looks_up, tests)))
            and not any(_finds_place(test, given, index) for test in tests)
            for tests in searches
        )
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
    bound = program.evaluator.flow.definitions(source.id, event.point, event.world)
    match [statement for statement, _ in bound]:
        case [ast.Assign(targets=[ast.Name()], value=ast.Attribute() as held)]:
            return held
    return source


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
                node.iter
                for node in walk(function)
                if isinstance(node, ast.For | ast.comprehension) and name in target_names(node.target)
            ]
            bound = [
                each
                for each in statements_in(function.body)
                if name in own_names(each) and not isinstance(each, ast.For)
            ]
            match through:
                case [ast.Call(func=ast.Attribute(value=held, attr="values"), args=[]) | held] if not bound:
                    return held
    return None


def _searches(program: Program, source: ast.expr, point: Point, world: World) -> list[list[ast.expr]]:
    """The tests by which something searches for what it gives, for each thing that it may be; nothing where
    it may be anything else."""
    match source:
        case ast.GeneratorExp(generators=generators):
            return [[test for generator in generators for test in generator.ifs]]
        case ast.Call(func=ast.Name(id="filter"), args=[ast.Lambda(body=test), _]):
            return [[test]]
        case ast.Call(func=ast.Name(id="iter"), args=[ast.GeneratorExp() as sought]):
            return _searches(program, sought, point, world)
        case ast.Name(id=name) if name in point.frame.layout.binds:
            found: list[list[ast.expr]] = []
            for statement, w in program.evaluator.flow.definitions(name, point, world):
                match statement:
                    case ast.Assign(targets=[ast.Name()], value=ast.GeneratorExp() | ast.Call() as value) if (
                        searched := _searches(program, value, Point(point.frame, statement), w)
                    ):
                        found += searched
                    case _:
                        return []
            return found
    return []


def _looks_up(test: ast.expr) -> bool:
    """Whether a test compares with ``==``, ``in`` or ``is``, or a name with a pattern, or asks whether a file
    is there: the search for what is known to be."""
    return any(
        isinstance(operator, ast.Eq | ast.In | ast.Is | ast.IsNot | ast.NotEq)
        for node in walk(test)
        if isinstance(node, ast.Compare)
        for operator in node.ops
    ) or any(
        isinstance(node, ast.Call) and _last_name(node.func) in _MATCHES | _EXISTS for node in walk(test)
    )


def _last_name(func: ast.expr) -> str | None:
    match func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None


def _is_limited(tests: list[ast.expr]) -> bool:
    """Whether a search takes those of a kind alone, a constant, that also reach a limit, a
    number: ``b["kind"] == 1 and b["area"] > 32``. That there are some of a kind does not say that one of them
    does."""
    parts = [
        part
        for test in tests
        for part in (test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test])
    ]
    keys = [part for part in parts if _looks_up(part)]
    return any(map(_reaches_number, parts)) and all(
        isinstance(key, ast.Compare)
        and isinstance(key.ops[0], ast.Eq)
        and any(isinstance(side, ast.Constant) for side in (key.left, *key.comparators))
        for key in keys
    )


def _reaches_number(test: ast.expr) -> bool:
    """Whether what an element has is compared with a number; one with 0 only says that it has some."""
    match test:
        case ast.Compare(
            left=ast.Subscript() | ast.Attribute(),
            ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()],
            comparators=[ast.Constant(value=int() | float() as limit)],
        ):
            return bool(limit)
    return False


def _gets_out(program: Program, uses: list[WorkerUse], node: ast.AST, point: Point, link: Link) -> bool:
    """Whether a StopIteration at a place comes out of the dataset's ``__getitem__``."""
    while True:
        scope = point.frame.scope
        if not isinstance(scope, ast.FunctionDef) or is_generator(scope):
            return False
        if _is_caught(point) or _in_generator(point.statement, node):
            return False
        if scope.decorator_list and _is_caught_around(program, scope, point.frame):
            return False
        if link.above is None:
            return scope.name in _ENTRIES or _is_called_by(program, uses, link)
        if link.caller is None or link.site is None:
            called = _through_library(program, uses, link)
            if called is None:
                return False
            node, point = called
        elif _calls(program, link.site, link.caller):
            node, point = link.site, link.caller
        else:
            return False  # a library calls, and may catch it
        link = link.above


def _is_called_by(program: Program, uses: list[WorkerUse], link: Link) -> bool:
    """Whether a library's dataset calls a function for each of its items, and lets errors of it out."""
    function = link.function
    return function is not None and any(
        isinstance(use.dataset, Made) and lets_out(program.evaluator, use.dataset, function, use.world)
        for use in uses
    )


def _through_library(program: Program, uses: list[WorkerUse], link: Link) -> tuple[ast.Call, Point] | None:
    """Where the function before calls a library's object (``Compose``) that calls this one in turn, and lets
    errors of it out."""
    function, above = link.function, link.above
    before = above.function if above is not None else None
    if function is None or before is None:
        return None
    for visit in uses[0].code.visits:
        if visit.function.node is not before.node or isinstance(visit.frame.scope, ast.ClassDef):
            continue
        for call in visit.frame.layout.nodes:
            if not isinstance(call, ast.Call):
                continue
            at = Point(visit.frame, statement_at(visit.frame.scope, call))
            for value, w in program.evaluator.values(call.func, at, visit.world):
                if isinstance(value, Made) and lets_out(program.evaluator, value, function, w):
                    return call, at
    return None


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


def _is_caught_around(program: Program, scope: ast.FunctionDef, frame: Frame) -> bool:
    """Whether what a decorator puts around a function may catch what comes out of it, for all that can be
    seen."""
    outer = Point(frame.outer, None) if frame.outer is not None else None
    for decorator in scope.decorator_list:
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        for value, _ in program.evaluator.values(named, outer) if outer is not None else ():
            match value:
                case External(name=name) if name.startswith(_CATCH_NOTHING):
                    continue
                case Function(node=node) | Class(node=node) if not any(map(_may_catch, walk(node))):
                    continue
            return True
    return False


def _may_catch(node: ast.AST) -> bool:
    """Whether a statement catches a StopIteration that comes out of what it does."""
    match node:
        case ast.Try(handlers=handlers):
            return any(map(_catches, handlers))
        case ast.With(items=items):
            return any("suppress" in ast.unparse(each.context_expr) for each in items)
    return False


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
