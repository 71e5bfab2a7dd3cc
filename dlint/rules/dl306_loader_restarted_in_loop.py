"""A loop starts a loader's workers again for every batch.

## What it finds

`next(iter(loader))`, in one step or in two, `next(enumerate(loader))`, `next(cycle(loader))`,
`next(loader.__iter__())`, `next(batch for batch in loader)`, `islice(loader, 1)` (also `islice(loader, n)`
where `n` surely is 1), `more_itertools.first(loader)` or a `for` that its first round ends (`for batch in
loader: break`), in a loop, or in the test of a `while`, where the loader has workers and stays the same while
the loop goes round; `next(iter(loaders[k]))` as well, one of each in an inner loop, and a function, or a
lambda with a name, that returns it and is called in a loop, be that the `__next__` of what the loop goes
through, or the `__call__` of what somebody was given (`self.draw()`). The loader may stand in a progress bar
(`tqdm(loader)`) or beside others in `zip`, or be what a call gives (`next(iter(self.target_loader()))`), or
makes in each round, where that draws nothing and reads nothing that the round changes. An object may keep the
iterator (`self.batches = iter(self.loader)`) that nothing else of the file asks for a batch; or a prefetcher
has one for others of its methods, and each round of a loop makes the prefetcher, or has it begin again, and
then takes as many batches as are written there (`fetch.reset()`, `batch = fetch.next()`). So are methods that
a trainer calls for every batch (Lightning's `training_step` and `on_train_batch_end`, transformers'
`on_step_end`, MMEngine's `after_train_iter`), the `__getitem__` of a dataset whose items a loader without
workers reads, and what ignite's `Engine` is made of, or calls for `Events.ITERATION_COMPLETED`, where no test
comes before; Lightning's trainer has the loaders of the program's one datamodule
(`trainer.datamodule.val_dataloader()`), of its one module, or of its one call (`trainer.fit(model, train,
val)`).

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
from collections.abc import Iterator

from dlint.calls.site import Site
from dlint.finding import Effect, Remedy
from dlint.knowledge.iterables import draws
from dlint.loaders.batch_hooks import is_called_each_batch
from dlint.loaders.every_round import is_now_and_then, tests_in
from dlint.loaders.iteration import Iterations
from dlint.loaders.loaders import Loader
from dlint.loaders.restarted.around import goes_on, is_asked_by, loop_around
from dlint.loaders.restarted.kept_iterators import takes_one_by_one
from dlint.loaders.restarted.made_again import gives_the_same, made_in_round, plain_call
from dlint.loaders.restarted.other_each_round import binds, is_made_anew
from dlint.loaders.restarted.rounds import counts_rounds, is_epoch_loop
from dlint.loaders.samplers import Samplers
from dlint.program.conditions import with_workers
from dlint.program.program import Program
from dlint.program.restarted.calling_loops import Called, calling_loops, is_one, keys_of, loader_there
from dlint.program.restarted.fresh_workers import loader_at, may_start_workers
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.restarts import FIRSTS, Restart, base_of, may_restart, restarts
from dlint.source.statements import dotted, own_names, parameters, statements_in
from dlint.values.frame import Point
from dlint.values.places import loops_around, loops_that_repeat, tests_around
from dlint.values.values import Const, External, Instance, Value

_RESTART = regex(
    r"\bnext\s*\(\s*iter\s*\(|\biter\s*\([^\n]{0,500}\)\s*\.\s*(?:__next__|next)\s*\(|=\s*iter\s*\("
)
_ITER = regex(r"iter\s*\(")
_BY_HAND = "keep one iterator for each loader, made where it is first wanted, and again on StopIteration"
_CURE_OF_KEPT = "have it begin again only where the loader has come to its end"
_CURE = "make the iterator once before the loop, and again on StopIteration"
# Who makes a loader, or is given one, mentions one of these, or what goes through one.
_WORDS = ("iter(", "DataLoader", "loader", "islice")


def check(program: Program) -> Iterator[Found]:
    """Every ``next(iter(loader))`` of a loop."""
    if not program.any_loader(may_start_workers):
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
            (loop, held), point = (
                loop_around(restart),
                program.evaluator.sites.point_of(module, restart.trail),
            )
            if restart.called is not None and not _is_of_library(program, restart.called, point):
                continue
            if loop is not None and (
                goes_on(loop)
                if is_asked_by(loop, restart)
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
    loader = loader_at(program, iterations, restart.source, point)
    if loader is not None and restart.number is not None and not is_one(program, [restart.number], point):
        return
    if (
        loader is None
        or binds(program.evaluator, loop, held, point)
        or is_epoch_loop(loop, point, iterations)
    ):
        return
    asked_by = is_asked_by(loop, restart)
    tests = [] if asked_by else list(tests_in(loop, point))
    if any(is_now_and_then(test, loop, point) for test in tests):
        return
    if call is not None and not gives_the_same(program.evaluator, loader, call, point, [(loop.body, point)]):
        return
    if call is not None or not is_made_anew(program.evaluator, loop, restart.source, point):
        # Before the loop, processes that a test in it keeps out would start workers, too.
        alone = call is None and not asked_by and not tests and next(loops_around(point)) is loop
        yield _found(program, point.frame.module, restart, loader, "in a loop", alone=alone)


def _in_function(
    program: Program, iterations: Iterations, module: Module, restart: Restart
) -> Iterator[Found]:
    """A restart that each call of a function comes to, where a loop calls it for every batch."""
    function = next((node for node in reversed(restart.trail) if isinstance(node, Called)), None)
    if function is None or not _surely_comes_to(function, restart.trail):
        return
    if isinstance(function, ast.FunctionDef) and any(
        "cache" in ast.unparse(decorator) for decorator in function.decorator_list
    ):
        return
    keys = keys_of(restart.source, function)
    call = plain_call(restart.source)
    body = function.body if isinstance(function, ast.FunctionDef) else []
    if (call is None and base_of(restart.source) is None) or keys is None:
        return
    program.evaluator.start()
    point = program.evaluator.sites.point_of(module, restart.trail)
    if isinstance(function, ast.FunctionDef) and any(
        counts_rounds(test) or _is_kept(test, function) for test, _, _ in tests_around(point)
    ):
        return
    loader = loader_at(program, iterations, restart.source, point)
    count, names = restart.number, {each.arg for each in parameters(function)} - point.frame.layout.binds
    counted = count.id if isinstance(count, ast.Name) and count.id in names else None
    if loader is None or (count is not None and counted is None and not is_one(program, [count], point)):
        return
    if restart.kept is not None:
        for called, loop, chain in calling_loops(program, iterations, function, point, loader, keys):
            there = loader_there(program, iterations, restart.source, chain, point, loader)
            if there and takes_one_by_one(program.evaluator, called, loop, restart.kept):
                how = f"in a loop, by iter({brief(restart.source)}),"
                again = restart._replace(taking=called.call)
                yield _found(program, called.point.frame.module, again, there, how)
        return
    site: Site | None = None
    for called, loop, chain in calling_loops(program, iterations, function, point, loader, keys, counted):
        there = loader_there(program, iterations, restart.source, chain, point, loader)
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
        return
    if site is None and counted is None and call is None and _is_of_items(program, function, point, keys):
        yield _found(program, module, restart, loader, "in a __getitem__ that the main process calls")
    if site is not None:
        where = f"{site.point.frame.module.relative}:{site.call.lineno}"
        yield _found(program, module, restart, loader, f"in a function that a loop calls ({where})")


def _surely_comes_to(function: Called, trail: list[ast.AST]) -> bool:
    """Whether a restart stands in the body of a function, in that of a lambda on no condition."""
    if isinstance(function, ast.FunctionDef):
        return any(node in function.body for node in trail)
    inside = trail[trail.index(function) + 1 :]
    return function.body in inside and not any(isinstance(node, ast.IfExp | ast.BoolOp) for node in inside)


def _is_hook(program: Program, function: Called, point: Point, keys: frozenset[str]) -> bool:
    """Whether a restart stands in what a trainer calls for every batch, on no condition at all."""
    if isinstance(function, ast.Lambda) or keys or next(tests_around(point), None) is not None:
        return False
    return is_called_each_batch(program, function, point)


def _is_of_items(program: Program, function: Called, point: Point, keys: frozenset[str]) -> bool:
    """Whether a restart stands, on no condition at all, in the ``__getitem__`` of a dataset whose items a
    loader without workers reads. In a worker none can be started (DL107)."""
    owner = point.frame.owner
    if isinstance(function, ast.Lambda) or function.name != "__getitem__" or owner is None or keys:
        return False
    if next(tests_around(point), None) is not None:
        return False
    return any(
        isinstance(way["dataset"], Instance)
        and any(above.node is owner.node for above in program.evaluator.classes.line(way["dataset"].cls))
        for loader in program.loaders
        if not loader.may_have_workers and not program.modules.index.is_test(loader.module.relative)
        for way, _ in loader.ways("dataset")
    )


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
