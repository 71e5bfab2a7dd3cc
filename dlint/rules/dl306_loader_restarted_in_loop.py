"""A loop starts a loader's workers again for every batch.

## What it finds

`next(iter(loader))`, in one step or in two, `next(enumerate(loader))`, `islice(loader, 1)` (also
`islice(loader, n)` where `n` surely is 1), `more_itertools.first(loader)` or a `for` that its first round
ends (`for batch in loader: break`), in a loop, or in the test of a `while`, where the loader has workers and
stays the same while the loop goes round; `next(iter(loaders[k]))` as well, one of each in an inner loop, and
a function, or a lambda with a name, that returns it and is called in a loop, be that the `__next__` of what
the loop goes through, or the `__call__` of what somebody was given (`self.draw()`). The loader may stand in a
progress bar (`tqdm(loader)`) or beside others in `zip`, or be what a call gives
(`next(iter(self.target_loader()))`), or makes in each round, where that draws nothing and reads nothing that
the round changes. An object may keep the iterator (`self.batches = iter(self.loader)`) that nothing else of
the file asks for a batch; or a prefetcher has one for others of its methods, and each round of a loop makes
the prefetcher, or has it begin again, and then takes as many batches as are written there (`fetch.reset()`,
`batch = fetch.next()`). So are methods that a trainer calls for every batch (Lightning's `training_step` and
`on_train_batch_end`, transformers' `on_step_end`, MMEngine's `after_train_iter`) and what ignite's `Engine`
is made of, or calls for `Events.ITERATION_COMPLETED`, where no test comes before; Lightning's trainer has the
loaders of the program's one datamodule (`trainer.datamodule.val_dataloader()`), or of its one module.

Once before or after a loop is fine, so is once an epoch beside what goes through the batches (a loop, a
comprehension, a library's trainer, a function that is called there, or one that trains by its name and cannot
be seen; not one of many rounds, `if step % 500 == 0: evaluate(val)`), now and then (`if step % 100 == 0`, but
not `if rank == 0`, `cfg["weight"] > 0` or what only the constructor sets, which are the same in all rounds,
nor `if step > 3`, which lets all through from one on), in a loop that is left in the same round (an attempt
that is made again only after an error) or goes round a few times as it is written, in a function that keeps
what it has taken (`if self.example is None:`), in a test, a loader without workers or with
`persistent_workers=True`, one that a method called in each round makes anew, a loader class with an
`__iter__` of its own, a loader that each round makes for the function that it calls
(`first(make_loader(task))`), a prefetcher that a loop inside asks until it has no more, and what may be an
iterator already (`batches = iter(loader)`), which is gone on with.

## Why is this bad

Every `iter(loader)` starts all workers, which load their first batches and are thrown away after one. As
measured: 243 ms against 3.2 ms a batch, 75 times as much. With `shuffle=False` every round gets the first
batch.

## Example

```python
for step in range(steps):
    images, labels = next(iter(loader))
```

Use instead:

```python
batches = iter(loader)
for step in range(steps):
    try:
        images, labels = next(batches)
    except StopIteration:
        batches = iter(loader)
        images, labels = next(batches)
```

## Level

- `note`, cost: new workers for every batch.
- `error`, silent: an ordered loader: every round gets the first batch again. One with a `batch_sampler` is
  ordered where that neither draws nor keeps where it was, and a stream where it does not draw.

## Fix safety

Unsafe: the loop gets other batches than before, each once an epoch, where every round began a new one; the
workers live on until the iterator goes. A batch that is used in the midst of a statement gets a name first.
Left to you where the loop does something to the dataset, a sampler or the seed, or handles the loader's end,
where a test in the loop comes first (all ranks would start workers), and for each of several loaders.

## References

- https://pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeAlias

from dlint.calls.entered import Chain, entered
from dlint.calls.implicit_calls import calls_of_held_object
from dlint.calls.parameters import default_of
from dlint.calls.site import Site
from dlint.finding import Effect, Remedy
from dlint.knowledge.iterables import draws
from dlint.loaders.batch_hooks import is_called_each_batch
from dlint.loaders.every_round import is_now_and_then, is_seldom, lets_through, tests_in
from dlint.loaders.iteration import Iterations
from dlint.loaders.loaders import Loader
from dlint.loaders.restarted.kept_iterators import takes_one_by_one
from dlint.loaders.restarted.made_again import gives_the_same, made_in_round, plain_call
from dlint.loaders.samplers import Samplers
from dlint.objects.classes import is_property
from dlint.program.conditions import with_workers
from dlint.program.iterators import may_be_iterator
from dlint.program.program import Program
from dlint.program.steps import steps_of
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.restarts import FIRSTS, Restart, base_of, may_restart, restarts, takes_first
from dlint.source.statements import (
    blocks,
    changed_names,
    dotted,
    own_names,
    parameters,
    statements_in,
    target_names,
)
from dlint.values.frame import Point
from dlint.values.places import loops_around, loops_that_repeat, places_around, tests_around
from dlint.values.values import Const, External, Function, Value

_RESTART = re.compile(
    r"\bnext\s*\(\s*iter\s*\(|\biter\s*\([^\n]{0,500}\)\s*\.\s*(?:__next__|next)\s*\(|=\s*iter\s*\("
)
_ITER = re.compile(r"iter\s*\(")
_EPOCH = re.compile(r"epoch|(?:^|_)rounds?(?:_|$)|^ep$", re.IGNORECASE)
# What an epoch consists of: ``steps_per_epoch``, ``args.epoch_length``.
_IN_EPOCH = re.compile(
    r"(?:step|batch|iter|iteration|update)(?:e?s)?_?per_?epoch|len_?epoch$"
    r"|epoch_?(?:size|len|length|(?:step|batch|iter|iteration|update)(?:e?s)?)$",
    re.IGNORECASE,
)
# Calls that train for an epoch by their name, but for those that take one step.
_TRAINS = re.compile(r"epoch|train|(?:^|_)fit(?:_|$)", re.IGNORECASE)
_STEPS = re.compile(r"step|batch|iter", re.IGNORECASE)
_BY_HAND = "keep one iterator for each loader, made where it is first wanted, and again on StopIteration"
_CURE_OF_KEPT = "have it begin again only where the loader has come to its end"
_CURE = "make the iterator once before the loop, and again on StopIteration"
_FAR = 1
# What makes an iterator each time that it is called.
_Called: TypeAlias = ast.FunctionDef | ast.Lambda
# Who makes a loader, or is given one, mentions one of these, or what goes through one.
_WORDS = ("iter(", "DataLoader", "loader", "islice")
# So many rounds, as written, are a look at some batches.
_FEW = 4
# What is given a loader and does not go through it.
_LOOKS = frozenset({"iter", "len", "next", "print", "type", "isinstance"})


def check(program: Program) -> Iterator[Found]:
    """Every ``next(iter(loader))`` of a loop."""
    if not program.any_loader(_starts_workers):
        return
    iterations: Iterations | None = None
    index = program.modules.index
    files = sorted(
        relative
        for relative in {file for word in _WORDS for file in index.mentioning(word)}
        if program.mine(relative)
        and not index.is_test(relative)
        and _may_restart(index.data(relative).decode(errors="replace"))
    )
    for module in program.modules.each(files):
        for restart in restarts(module):
            if _is_in_handler(restart.trail):
                continue  # now and then: what has ended is begun again
            if iterations is None:
                iterations = Iterations(program)
            (loop, held), point = _loop(restart), program.evaluator.sites.point_of(module, restart.trail)
            if restart.called is not None and not _is_of_library(program, restart.called, point):
                continue
            if loop is not None and (
                _goes_on(loop)
                if _is_asked_by(loop, restart)
                else any(each is loop for each in loops_that_repeat(point))
            ):
                if not restart.returns:  # else the loop is left as well
                    yield from _in_loop(program, iterations, restart, loop, held, point)
            elif restart.is_of_function:
                yield from _in_function(program, iterations, module, restart)


def _is_of_library(program: Program, called: ast.expr, point: Point) -> bool:
    """Whether what is called gives the first thing of what it is given."""
    program.evaluator.start()
    return any(
        isinstance(value, External) and value.name in FIRSTS
        for value, _ in program.evaluator.values(called, point)
    )


def _is_in_handler(trail: list[ast.AST]) -> bool:
    """Whether a handler of an error is what the innermost loop, or the function, comes to."""
    around = (
        node
        for node in reversed(trail)
        if isinstance(node, ast.ExceptHandler | ast.For | ast.While | ast.FunctionDef)
        and not (isinstance(node, ast.For) and node.iter in trail)
    )
    return isinstance(next(around, None), ast.ExceptHandler)


def _comes_after_error(point: Point) -> bool:
    """The same of a place, for the innermost loop around it."""
    for place in places_around(point):
        if isinstance(place.owner, ast.ExceptHandler):
            return True
        if isinstance(place.owner, ast.For | ast.While):
            return False
    return False


def _may_restart(text: str) -> bool:
    # What begins with a word is searched for sooner than a choice.
    made = _ITER.search(text) is not None and _RESTART.search(text) is not None
    return made or may_restart(text)


def _in_loop(
    program: Program,
    iterations: Iterations,
    restart: Restart,
    loop: ast.For | ast.While,
    held: ast.expr,
    point: Point,
) -> Iterator[Found]:
    """A restart in a loop of the same function."""
    program.evaluator.start()
    made = made_in_round(loop, restart.source)
    held, call = (made, plain_call(made)) if held is restart.source else (held, None)
    loader = _loader(program, iterations, restart.source, point)
    if loader is not None and restart.number is not None and not _is_one(program, [restart.number], point):
        return
    if loader is None or _binds(program, loop, held, point) or _is_epoch_loop(loop, point, iterations):
        return
    asked_by = _is_asked_by(loop, restart)
    tests = [] if asked_by else list(tests_in(loop, point))
    if any(is_now_and_then(test, loop, point) for test in tests):
        return
    if call is not None and not gives_the_same(program.evaluator, loader, call, point, [(loop.body, point)]):
        return
    if call is not None or not _is_made_anew(program, loop, restart.source, point):
        # Before the loop, processes that a test in it keeps out would start workers, too.
        alone = call is None and not asked_by and not tests and next(loops_around(point)) is loop
        yield _found(program, point.frame.module, restart, loader, "in a loop", alone=alone)


def _in_function(
    program: Program, iterations: Iterations, module: Module, restart: Restart
) -> Iterator[Found]:
    """A restart that each call of a function comes to, where a loop calls it for every batch."""
    function = next((node for node in reversed(restart.trail) if isinstance(node, _Called)), None)
    if function is None or not _surely_comes_to(function, restart.trail):
        return
    if isinstance(function, ast.FunctionDef) and any(
        "cache" in ast.unparse(decorator) for decorator in function.decorator_list
    ):
        return
    keys = _keys(restart.source, function)
    call = plain_call(restart.source)
    body = function.body if isinstance(function, ast.FunctionDef) else []
    if (call is None and base_of(restart.source) is None) or keys is None:
        return
    program.evaluator.start()
    point = program.evaluator.sites.point_of(module, restart.trail)
    if isinstance(function, ast.FunctionDef) and any(
        _counts(test) or _is_kept(test, function) for test, _, _ in tests_around(point)
    ):
        return
    loader = _loader(program, iterations, restart.source, point)
    count, names = restart.number, {each.arg for each in parameters(function)} - point.frame.layout.binds
    counted = count.id if isinstance(count, ast.Name) and count.id in names else None
    if loader is None or (count is not None and counted is None and not _is_one(program, [count], point)):
        return
    if restart.kept is not None:
        for called, loop, chain in _calling_loops(program, iterations, function, point, loader, keys):
            there = _loader_there(program, iterations, restart.source, chain, point, loader)
            if there and takes_one_by_one(program.evaluator, called, loop, restart.kept):
                how = f"in a loop, by iter({brief(restart.source)}),"
                again = restart._replace(taking=called.call)
                yield _found(program, called.point.frame.module, again, there, how)
        return
    site: Site | None = None
    for called, loop, chain in _calling_loops(program, iterations, function, point, loader, keys, counted):
        there = _loader_there(program, iterations, restart.source, chain, point, loader)
        rounds = [(body, point), (loop.body, called.point)]
        if there is not None and (
            call is None or gives_the_same(program.evaluator, there, call, point, rounds)
        ):
            site, loader = called, there
            break
    if site is None and counted is None and _is_hook(program, function, point, keys):
        if call is not None and not gives_the_same(program.evaluator, loader, call, point, [(body, point)]):
            return
        yield _found(program, module, restart, loader, "in a function that a trainer calls for every batch")
    if site is not None:
        where = f"{site.point.frame.module.relative}:{site.call.lineno}"
        yield _found(program, module, restart, loader, f"in a function that a loop calls ({where})")


def _surely_comes_to(function: _Called, trail: list[ast.AST]) -> bool:
    """Whether a restart stands in the body of a function, in that of a lambda on no condition."""
    if isinstance(function, ast.FunctionDef):
        return any(node in function.body for node in trail)
    inside = trail[trail.index(function) + 1 :]
    return function.body in inside and not any(isinstance(node, ast.IfExp | ast.BoolOp) for node in inside)


def _is_hook(program: Program, function: _Called, point: Point, keys: frozenset[str]) -> bool:
    """Whether a restart stands in what a trainer calls for every batch, on no condition at all."""
    if isinstance(function, ast.Lambda) or keys or next(tests_around(point), None) is not None:
        return False
    return is_called_each_batch(program, function, point)


def _calling_loops(
    program: Program,
    iterations: Iterations,
    function: _Called,
    point: Point,
    loader: Loader,
    keys: frozenset[str],
    counted: str | None = None,
    inner: Chain = (),
) -> Iterator[tuple[Site, ast.For | ast.While, Chain]]:
    """The calls of a function, or of those that call it, that a loop makes for every batch, with the loop and
    the calls from there on.
    ``keys`` are the parameters by which it is told which of several loaders to take from: that must be the
    same one again; ``counted`` the one that says how many batches to take: that must be 1."""
    for site in _sites(program, function, point):
        scope, called = site.point.frame.scope, site.point
        if program.modules.index.is_test(called.frame.module.relative):
            continue
        if counted is not None and not _is_one(program, _counted(site.call, function, counted), called):
            continue
        if _comes_after_error(called):
            continue  # now and then: what has ended is begun again
        loops, several = _round_of(site.call, [loop for loop in loops_around(called) if not _is_short(loop)])
        if not loops:
            if next(tests_around(called), None) is not None:
                continue
            if isinstance(scope, ast.FunctionDef) and len(inner) < _FAR and not keys:
                chain = [(site, function), *inner]
                yield from _calling_loops(program, iterations, scope, called, loader, keys, inner=chain)
            continue
        loop = loops[0]
        if all(each is not loop for each in loops_that_repeat(called)):
            continue
        if not isinstance(loop, ast.For | ast.While) or _speaks_of_epochs(loop):
            continue
        if not all(lets_through(test.node, test.wanted, loop, called) for test in tests_in(loop, called)):
            continue
        given = [*site.call.args, *(word.value for word in site.call.keywords)]
        handed = [node for node in given if base_of(node) is not None and iterations.is_loader(node, called)]
        if handed and all(_loader(program, iterations, node, called) is None for node in handed):
            continue
        if any(_is_another_each_round(program, iterations, loop, node, called) for node in given):
            continue
        if any(node is loader.call for node in walk(loop)) or _is_epoch_loop(
            loop, called, iterations, function
        ):
            continue
        told = list(_told(site.call, function, keys))
        if not all(isinstance(each, ast.Constant | ast.Name) for each in told):
            continue
        parts = {
            node.id for each in (site.call.func, *told) for node in walk(each) if isinstance(node, ast.Name)
        }
        parts -= {name for each in several for name in target_names(each.target)}
        bound = parts & called.frame.layout.bound_by(loop)
        if any(not _only_calls_methods(program, loop, name, called) for name in bound) or any(
            _binds(program, loop, node, called) for node in (*handed, *(each.iter for each in several))
        ):
            continue
        yield site, loop, [(site, function), *inner]


def _loader_there(
    program: Program, iterations: Iterations, source: ast.expr, chain: Chain, point: Point, loader: Loader
) -> Loader | None:
    """The loader that calls have started again, which is the one of all callers where it is not known what
    those do."""
    points = entered(program.evaluator, chain, point.statement)
    found = (_loader(program, iterations, source, each) for each in points)
    return next(filter(None, found), None) if points else loader


def _round_of(call: ast.Call, loops: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.For]]:
    """Of the loops around a call, those that come back to the same function, and those inside, which call it
    on one object after the other (``for hook in self.hooks: hook.after_step()``)."""
    holder, several = call.func, list[ast.For]()
    while isinstance(holder, ast.Attribute | ast.Subscript):
        holder = holder.value
    for at, loop in enumerate(loops):
        if not isinstance(loop, ast.For) or not _is_bound(holder, loop.target):
            return loops[at:], several
        several.append(loop)
        holder = loop.iter
        while isinstance(holder, ast.Attribute | ast.Subscript):
            holder = holder.value
    return [], several


def _sites(program: Program, function: _Called, point: Point) -> list[Site]:
    """The calls of a function; of a property, the places that read it, and of a ``__next__`` those that go
    on by it as well."""
    sites, owner = program.evaluator.sites, point.frame.owner
    if isinstance(function, ast.Lambda):
        return sites.of_lambda(function, point.frame)
    if owner is not None and function.name == "__call__":
        found = sites.of(function, point.frame)
        held = calls_of_held_object(program.evaluator, function, owner)
        return [*found, *(each for each in held if all(each.call is not other.call for other in found))]
    if owner is not None and function.name == "__next__":
        return [*sites.of(function, point.frame), *steps_of(program.evaluator, function, owner)]
    if owner is not None and is_property(function):
        return sites.reading(function, owner)
    return sites.of(function, point.frame)


def _keys(source: ast.expr, function: _Called) -> frozenset[str] | None:
    """The parameters of a function that pick one of several loaders: ``self.loaders[key]``; None where
    something else may."""
    told: list[ast.expr]
    match source:
        case ast.Subscript(slice=ast.Name() | ast.Constant() as key):
            told = [key]
        case ast.Call(args=args, keywords=keywords):
            told = [*args, *(keyword.value for keyword in keywords)]
        case ast.Subscript():
            return None
        case _:
            return frozenset()
    names = {node.id for each in told for node in walk(each) if isinstance(node, ast.Name)} - {"self"}
    body = function.body if isinstance(function, ast.FunctionDef) else []
    bound = {name for statement in statements_in(body) for name in own_names(statement)}
    if names & bound:
        return None
    return frozenset(names) if names <= {each.arg for each in parameters(function)} else None


def _told(call: ast.Call, function: _Called, keys: frozenset[str]) -> Iterator[ast.expr]:
    """What a call gives to some parameters of a function; and what it may, where that is not written."""
    if not keys:
        return
    names = [each.arg for each in parameters(function)]
    if isinstance(call.func, ast.Attribute) and names[:1] == ["self"]:
        del names[0]
    if any(isinstance(each, ast.Starred) for each in call.args) or any(
        not each.arg for each in call.keywords
    ):
        yield from (*call.args, *(each.value for each in call.keywords))
        return
    yield from (each for name, each in zip(names, call.args, strict=False) if name in keys)
    yield from (ast.Starred(each.value) for each in call.keywords if each.arg is None)
    yield from (each.value for each in call.keywords if each.arg in keys)


def _counted(call: ast.Call, function: _Called, name: str) -> list[ast.expr]:
    """What a call gives to a parameter, or its default."""
    told = list(_told(call, function, frozenset({name})))
    default = default_of(name, function)
    return told or ([default] if isinstance(default, ast.Constant) else [])


def _is_one(program: Program, counts: list[ast.expr], point: Point) -> bool:
    """Whether something surely is the number 1, which an option is only by default."""
    values = [value for each in counts for value, _ in program.evaluator.values(each, point)]
    return bool(values) and all(isinstance(value, Const) and value.value == 1 for value in values)


def _counts(test: ast.expr) -> bool:
    """Whether a test is about the number of the round: ``if step % 100: return``."""
    for node in walk(test):
        name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
        if isinstance(node, ast.Mod) or _STEPS.search(name) or _EPOCH.search(name):
            return True
    return False


def _is_kept(test: ast.expr, function: ast.FunctionDef) -> bool:
    """Whether a function sets what outlives its call, and asks for that first, as one does that keeps what it
    has taken: ``if self.example is None: self.example = ...``"""
    inside = list(statements_in(function.body))
    shared = {name for each in inside if isinstance(each, ast.Global | ast.Nonlocal) for name in each.names}
    kept = {name for each in inside for name in own_names(each) if "." in name or name in shared}
    kept |= {
        dotted(target.value) or ""
        for each in inside
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Subscript)
    }
    for node in walk(test):
        match node:
            case ast.Call(func=ast.Name(id="hasattr"), args=[held, ast.Constant(value=str(name))]):
                if f"{dotted(held)}.{name}" in kept:
                    return True
            case ast.Name() | ast.Attribute() if dotted(node) in kept:
                return True
    return False


def _is_short(loop: ast.stmt) -> bool:
    """Whether a loop goes round a few times only, as it is written."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(rounds))])):
            return rounds <= _FEW
        case (
            ast.For(iter=ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts))
            | ast.For(iter=ast.Call(args=[ast.Tuple(elts=parts) | ast.List(elts=parts)]))
            | ast.For(iter=ast.Call(func=ast.Attribute(value=ast.Dict(values=parts)), args=[]))
        ):
            return len(parts) <= _FEW and not any(isinstance(part, ast.Starred) for part in parts)
    return False


def _loader(program: Program, iterations: Iterations, node: ast.expr, point: Point) -> Loader | None:
    """The loader, with workers of its own for each iterator, that an expression may be, and surely no
    iterator over one."""
    for value, _ in program.evaluator.values(node, point):
        loader = iterations.loader(value)
        if loader is not None and _starts_workers(loader):
            return None if may_be_iterator(program.evaluator, node, point) else loader
    return None


def _loop(restart: Restart) -> tuple[ast.For | ast.While | None, ast.expr]:
    """The innermost loop of the same function around a restart, if it goes round for every batch of one
    loader; and what holds the loader, or all of those that a loop inside goes through."""
    trail, picks, held = restart.trail, set[str](), restart.source
    nothing = (None, held)
    if base_of(restart.source) is None and plain_call(restart.source) is None:
        return nothing
    if isinstance(restart.source, ast.Subscript):
        picks = {node.id for node in walk(restart.source.slice) if isinstance(node, ast.Name)}
    for index in range(len(trail) - 1, 0, -1):
        at, above = trail[index], trail[index - 1]
        if isinstance(above, ast.FunctionDef) and above.name.startswith("test"):
            return nothing
        if isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return nothing
        if isinstance(above, ast.While) and at is above.test:
            return nothing if _may_be_left_out(at, restart.taking) else (above, held)
        if isinstance(above, ast.For | ast.While) and any(at is statement for statement in above.body):
            if isinstance(above, ast.For) and picks & set(target_names(above.target)):
                continue  # another loader each time: the loop around it comes back to them
            if isinstance(above, ast.For) and held is restart.source and _is_bound(held, above.target):
                held = above.iter
                continue
            if _is_short(above):
                continue
            return above, held
    return nothing


def _is_asked_by(loop: ast.For | ast.While, restart: Restart) -> bool:
    """Whether a restart stands in the test of a loop, which each round makes."""
    return isinstance(loop, ast.While) and any(node is loop.test for node in restart.trail)


def _goes_on(loop: ast.For | ast.While) -> bool:
    """Whether a loop may come to its test again."""
    return not any(isinstance(each, ast.Break | ast.Return | ast.Raise) for each in loop.body)


def _may_be_left_out(test: ast.AST, asked: ast.expr) -> bool:
    """Whether a loop may go on without having asked for a part of its test."""
    return any(
        isinstance(node, ast.IfExp | ast.Lambda | ast.comprehension)
        or (
            isinstance(node, ast.BoolOp)
            and isinstance(node.op, ast.Or)
            and not any(each is asked for each in walk(node.values[0]))
        )
        for node in walk(test)
        if any(each is asked for each in walk(node))
    )


def _is_bound(node: ast.expr, target: ast.expr) -> bool:
    """Whether a loop gives what is read by its name alone."""
    return isinstance(node, ast.Name) and node.id in target_names(target)


def _is_epoch_loop(
    loop: ast.For | ast.While, point: Point, iterations: Iterations, restarting: _Called | None = None
) -> bool:
    """Whether a loop goes round once an epoch: it goes through batches inside, or calls what does; the
    function that starts a loader again and takes one batch, or leads there, does not."""
    if _speaks_of_epochs(loop):
        for node in (node for statement in loop.body for node in walk(statement)):
            if isinstance(node, ast.For | ast.While) or _hands_over(node, point, iterations, restarting):
                return True
        often = loop.body
    else:
        at = point.before(loop)
        of_steps = isinstance(loop, ast.For) and next(iterations.loaders_of(loop.iter, at), None) is not None
        often = list(_often(loop.body, loop, of_steps))
        seldom = any(
            isinstance(each, ast.If)
            and any(is_seldom(each.test, wanted, loop, of_steps=of_steps) for wanted in (True, False))
            for each in statements_in(loop.body)
        )
        if (seldom and not of_steps) and any(
            _hands_over(node, point, iterations, restarting) for each in often for node in walk(each)
        ):
            return True  # what is done in each round may be an epoch
    return any(
        iteration.to_end
        or (
            iteration.is_loop
            and not (
                isinstance(iteration.point.statement, ast.For) and takes_first(iteration.point.statement)
            )
        )
        for iteration in iterations.from_block(often, point.frame)
    )


def _often(body: list[ast.stmt], loop: ast.For | ast.While, of_steps: bool) -> Iterator[ast.stmt]:
    """The statements of a block, without those that one of many rounds comes to: an evaluation now and then
    makes no epochs of the rounds."""
    for statement in body:
        match statement:
            case ast.If(test=test) if is_seldom(test, True, loop, of_steps=of_steps):
                yield from _often(statement.orelse, loop, of_steps)
            case ast.If(test=test) if is_seldom(test, False, loop, of_steps=of_steps):
                yield from _often(statement.body, loop, of_steps)
                if isinstance(statement.body[-1], ast.Continue):
                    return
            case ast.If() | ast.With() if any(
                isinstance(each, ast.If) for each in statements_in([statement])
            ):
                for _, inner, _ in blocks(statement):
                    yield from _often(inner, loop, of_steps)
            case _:
                yield statement


def _speaks_of_epochs(loop: ast.For | ast.While) -> bool:
    """Whether a loop goes round for epochs by the names in it."""
    return any(_EPOCH.search(name) and not _IN_EPOCH.search(name) for name in _head(loop))


def _head(loop: ast.For | ast.While) -> Iterator[str]:
    """The names that a loop binds, or those in its test."""
    if isinstance(loop, ast.For):
        yield from target_names(loop.target)
    for node in walk(loop.iter if isinstance(loop, ast.For) else loop.test):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _hands_over(node: ast.AST, point: Point, iterations: Iterations, restarting: _Called | None) -> bool:
    """Whether a call is given a loader, as an epoch hands one to the function that trains, or trains by its
    name where nobody can see how."""
    if not isinstance(node, ast.Call) or dotted(node.func) in _LOOKS:
        return False
    if restarting is not None and iterations.calls(node, point, restarting):
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if any(iterations.is_loader(each, point) for each in given if dotted(each)):
        return True
    name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func) or ""
    if not _TRAINS.search(name) or _STEPS.search(name):
        return False
    if name == "train" and all(isinstance(each, ast.Constant) for each in given):
        return False  # `model.train()` only sets a mode
    return iterations.may_go_round(node.func, point)


def _binds(program: Program, loop: ast.For | ast.While, node: ast.expr, point: Point) -> bool:
    """Whether the loop makes its loader anew, or goes over several."""
    bound = point.frame.layout.bound_by(loop)
    held = base_of(node)
    for path in [held] if held is not None else _paths(node):
        parts = path.split(".")
        for holder in (".".join(parts[: end + 1]) for end in range(len(parts))):
            if holder in bound and (holder == path or not _only_calls_methods(program, loop, holder, point)):
                return True
    return False


def _paths(node: ast.AST) -> Iterator[str]:
    """The dotted names that an expression reads, each as long as it is written."""
    path = dotted(node) if isinstance(node, ast.expr) else None
    if path is not None:
        yield path
        return
    for child in ast.iter_child_nodes(node):
        yield from _paths(child)


def _only_calls_methods(program: Program, loop: ast.For | ast.While, holder: str, point: Point) -> bool:
    """Whether a loop only calls methods of the program on an object, that are called as those of a dict are:
    ``self.update(batch)``."""
    layout = point.frame.layout
    if holder in layout.bound_by(loop, anew=True):
        return False
    for statement in statements_in(loop.body):
        if holder in changed_names(statement):
            match statement:
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner) as method)) if (
                    dotted(owner) == holder
                ):
                    called = [value for value, _ in program.evaluator.values(method, point)]
                    if called and all(isinstance(value, Function) for value in called):
                        continue
            return False
    return True


def _is_another_each_round(
    program: Program, iterations: Iterations, loop: ast.For | ast.While, node: ast.expr, point: Point
) -> bool:
    """Whether what a call is given is a loader that the call makes for it: ``first(make_loader(task))``."""
    if not isinstance(node, ast.Call):
        return False
    made = [
        loader for value, _ in program.evaluator.values(node, point) if (loader := iterations.loader(value))
    ]
    if not made:
        return False
    makers = [
        value.node for value, _ in program.evaluator.values(node.func, point) if isinstance(value, Function)
    ]
    return _binds(program, loop, node, point) or any(
        each is loader.call for loader in made for maker in (node, *makers) for each in walk(maker)
    )


def _is_made_anew(program: Program, loop: ast.For | ast.While, node: ast.expr, point: Point) -> bool:
    """Whether each round calls a method that sets the attribute that holds the loader (``self.reset()``)."""
    holder, _, name = (base_of(node) or "").rpartition(".")
    for statement in _each_round(loop.body) if holder else ():
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner) as method)) if (
                dotted(owner) == holder
            ):
                for value, _ in program.evaluator.values(method, point):
                    if isinstance(value, Function) and _sets(value.node, name):
                        return True
    return False


def _sets(method: ast.AST, name: str) -> bool:
    """Whether a method always sets an attribute."""
    return isinstance(method, ast.FunctionDef) and any(
        isinstance(target, ast.Attribute) and target.attr == name
        for statement in method.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _each_round(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that every round of a loop comes to."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.With | ast.Try):
            yield from _each_round(statement.body)


def _starts_workers(loader: Loader) -> bool:
    """Whether each iterator of a loader has workers of its own."""
    kept = loader.values("persistent_workers")
    may_keep = loader.keeps_workers or any(isinstance(value, Const) and value.value for value in kept)
    return loader.may_have_workers and not may_keep


def _found(
    program: Program, module: Module, restart: Restart, loader: Loader, how: str, *, alone: bool = False
) -> Found:
    """The finding; ``alone``: nothing but the loop is between the restart and the place for an iterator."""
    effect: Effect = "cost"
    happens = "75 times slower than going on"
    if _gets_first(program, loader):
        happens, effect = "each time it gets the first one again", "silent"
    written, cure = restart.spelling.format(brief(restart.source)), _CURE
    if restart.kept is not None:
        written, cure = brief(restart.taking), _CURE_OF_KEPT
    remedy = None
    if restart.is_next and restart.at_once and alone and dotted(restart.source) is not None:
        remedy = Remedy("hoist_iterator", "unsafe", "Make the iterator once, before the loop")
    return Found(
        module,
        restart.taking,
        f"{written} {how} starts new workers for every batch: {happens}",
        effect,
        cure,
        with_workers(program, loader),
        remedy=remedy,
        by_hand=None if alone or restart.kept is not None else _BY_HAND,
    )


def _gets_first(program: Program, loader: Loader) -> bool:
    """Whether each iterator of a loader begins with the same batch as the one before."""
    if not _surely_ordered(loader.values("shuffle")) or loader.values("sampler") != [None]:
        return False
    samplers = Samplers(program.evaluator)
    if not all(map(samplers.starts_alike, loader.values("batch_sampler"))):
        return False
    made = program.made_by(loader.call)
    return made is None or not any(
        use.dataset is not None
        and program.is_stream(use)
        and any(draws(each.name) for each in use.code.events)
        for use in program.uses_of(made)
    )


def _surely_ordered(values: list[Value | None]) -> bool:
    return all(value is None or (isinstance(value, Const) and not value.value) for value in values)
