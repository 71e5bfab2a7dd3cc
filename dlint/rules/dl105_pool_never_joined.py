"""A new pool for every batch that nobody ends, or a task that waits for its own pool.

## What it finds

- In the main process: `ThreadPool(...)`, `ThreadPoolExecutor(...)` or a pool of processes made in a loop
  over a loader (or in what the loop calls or makes), and neither joined, shut down nor terminated.
- Anywhere: a task of a pool that gives work to the same pool and waits for the result, be it by a function
  that gives the future back, or one that is handed the futures. A pool that never leaves the function that
  makes it gets none from its tasks.

A pool in a `with` block is fine, so is one that is made before the loop, one of every so many batches
(`if step % 1000 == 0:`), and one that is kept in a list which has none yet (`if not self.pools:`). One
that is given to another call than `append` (`stack.enter_context(...)`) is taken to be ended there; of one
that is returned it is looked whether the callers do.

## Why is this bad

- Pools that are kept never end their threads. Measured over three epochs: 702, 1401, 2103 threads. Pools
  that are dropped without being closed leak on Python 3.6 and 3.7; later ones collect them. After
  `close()` alone the threads may still run beside those of the next batch.
- Tasks that wait for tasks of their own pool **hang** as soon as all its threads wait: 5 of 5 runs with a
  pool of 2.

## Example

```python
for images, labels in loader:
    pool = ThreadPool(8)
    self.pools.append(pool)
    pending = pool.map_async(augment, images)
```

Use instead one pool, ended when the loop is done:

```python
with ThreadPool(8) as pool:
    for images, labels in loader:
        pending = pool.map_async(augment, images)
        ...
    pool.close()
    pool.join()
```

## Level

- `note`, cost: the threads or processes of pools that nobody ends.
- `warning`, hang: a task that waits for its own pool, if as many tasks as the pool has threads run at once.

## Fix safety

Unsafe: the remedy waits for the pool's tasks where nothing waited before. Where all results are read in the
round of the loop that makes a pool of threads, one pool serves all rounds: the loop goes into a `with` block.
Of processes, and where the round says how many threads there are, it puts the statements that use the pool
into a `with` block where all results are read there (an executor's block waits for what is not; a
`ThreadPool`'s ends it), else `close()` and `join()` after the last result is read. Results that are returned,
kept on an object or read by somebody else are left to you, and so are generators.

## References

- https://docs.python.org/3/library/multiprocessing.html#multiprocessing.pool.Pool.join
- https://docs.python.org/3/library/concurrent.futures.html#concurrent.futures.Executor.shutdown
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.fork.sides import calls_named, worker_functions
from dlint.knowledge.processes.pools import MAPS, POOL_WORDS, POOLS, RELEASES, SUBMITS, Pool
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import dotted
from dlint.values.frame import Point
from dlint.values.functions import function_body, is_generator
from dlint.values.values import External, Function, Made, Partial
from dlint.workers.repetition import PerBatch
from dlint.workers.waiting import waits
from dlint.workers.worker import WorkerCode

_REMEDY = Remedy("close_pool", "unsafe", "Close the pool and wait for its threads after its last use")
_FAR = 2  # functions that return what another one returns
_HANDS = SUBMITS | MAPS | {"apply"}


def check(program: Program) -> Iterator[Found]:
    """Pools of the main loop that nobody ends, and tasks that wait for their own pool."""
    if not program.facts.has_loaders:
        return
    worker = worker_functions(program)
    repetition = PerBatch(program, worker)
    made_in: set[Module] = set()
    for word in POOL_WORDS:
        for module, call, point in calls_named(program, word):
            pool = _pool_of(program, call, point)
            if pool is None:
                continue
            made_in.add(module)
            if id(point.frame.scope) in worker:
                continue
            given_back = _is_given_back(call, point)
            if _is_ended(call, point, RELEASES) or (
                given_back and not _is_dropped(program, repetition, point)
            ):
                continue
            if repetition.made_anew(call, point):
                yield _per_batch(module, call, point, pool, given_back)
    for module in sorted(made_in, key=lambda module: module.relative):
        yield from _nested(program, module)


def _pool_of(program: Program, call: ast.Call, point: Point) -> Pool | None:
    for value, _ in program.evaluator.values(call.func, point):
        if isinstance(value, External) and value.name in POOLS:
            return POOLS[value.name]
    return None


def _is_given_back(call: ast.Call, point: Point) -> bool:
    """Whether a function returns a pool, whatever else it does with it."""
    match point.statement:
        case ast.Return(value=value):
            return value is call
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            return any(
                isinstance(node, ast.Return) and isinstance(node.value, ast.Name) and node.value.id == name
                for node in walk(point.frame.scope)
            )
    return False


def _is_dropped(program: Program, repetition: PerBatch, point: Point, far: int = 0) -> bool:
    """Whether a caller of the function that returns a pool gets one for every batch and never ends it."""
    function = point.frame.scope
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or is_generator(function):
        return False
    for site in program.evaluator.sites.of(function, point.frame):
        if _is_given_back(site.call, site.point):
            if far < _FAR and _is_dropped(program, repetition, site.point, far + 1):
                return True
        elif not _is_ended(site.call, site.point, RELEASES) and repetition.made_anew(site.call, site.point):
            return True
    return False


def _per_batch(module: Module, call: ast.Call, point: Point, pool: Pool, given_back: bool) -> Found:
    targets = getattr(point.statement, "targets", [])
    plain = any(isinstance(target, ast.Name) for target in targets) and not _is_appended(call, point)
    plain = plain and not given_back
    ending = "nothing closes or joins"
    if not given_back and _is_ended(call, point, frozenset({"close"})):
        ending = "is closed and never joined"
        happens = f"its {pool.of} start anew each time"
    elif not _is_appended(call, point):
        happens = f"its {pool.of} start anew each time"
    elif pool.of == "threads":
        happens = "its threads pile up"
    else:
        happens = "its processes pile up"
    return Found(
        module,
        call,
        f"the training loop makes a {pool.shown} for every batch that {ending}: {happens}",
        "cost",
        "make it once before the loop, and end it once its results are read",
        remedy=_REMEDY if plain else None,
        by_hand=None
        if plain
        else "make the pool once, before the loop, and close and join it once its results are read",
    )


def _is_ended(call: ast.Call, point: Point, methods: frozenset[str]) -> bool:
    """Whether one of the methods is called on the pool, or it goes where that cannot be seen."""
    scope = point.frame.scope
    statement = point.statement
    if isinstance(statement, ast.With | ast.AsyncWith):
        return any(_holds(item.context_expr, call) for item in statement.items)
    if methods != {"close"} and _goes_elsewhere(statement, call):
        return True
    owner = point.frame.outer.scope if point.frame.outer is not None else None
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    names = {dotted(target) for target in targets if isinstance(target, ast.Name | ast.Attribute)}
    kept = any(isinstance(target, ast.Attribute) for target in targets) or _is_appended(call, point)
    for node in walk(owner if kept and isinstance(owner, ast.ClassDef) else scope):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in methods:
                if (kept or dotted(value) in names) and not (method == "join" and node.args):
                    return True
            case ast.withitem(context_expr=context) if dotted(context) in names:
                return True
            case ast.Call(args=args) if not kept and any(dotted(each) in names for each in args):
                return True
    return False


def _goes_elsewhere(statement: ast.stmt | None, call: ast.Call) -> bool:
    """Whether the pool is given to a call (``stack.enter_context(ThreadPool())``) that is no ``append``."""
    return statement is not None and any(
        isinstance(node, ast.Call)
        and any(each is call for each in node.args)
        and not (isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "add"))
        for node in walk(statement)
    )


def _holds(node: ast.AST, call: ast.Call) -> bool:
    return any(each is call for each in walk(node))


def _is_appended(call: ast.Call, point: Point) -> bool:
    """Whether the pool goes into a list."""
    names = set()
    if isinstance(point.statement, ast.Assign):
        names = {target.id for target in point.statement.targets if isinstance(target, ast.Name)}
    for node in walk(point.frame.scope):
        match node:
            case ast.Call(func=ast.Attribute(attr="append" | "add"), args=[each]):
                if each is call or (isinstance(each, ast.Name) and each.id in names):
                    return True
    return False


def _nested(program: Program, module: Module) -> Iterator[Found]:
    """Tasks that give work to the pool that runs them and wait for it."""
    for word in sorted(_HANDS):
        for trail in module.paths_to(word):
            call = trail[-2] if len(trail) > 1 else None
            if not (isinstance(call, ast.Call) and call.func is trail[-1] and call.args):
                continue
            if not isinstance(trail[-1], ast.Attribute):
                continue
            program.evaluator.start()
            point = program.evaluator.sites.point_of(module, trail)
            pools = [
                value.owner
                for value, _ in program.evaluator.values(call.func, point)
                if isinstance(value, External) and value.owner is not None and value.owner.name in POOLS
            ]
            for pool in pools[:1]:
                if _stays(pool):
                    continue
                for task, _ in program.evaluator.values(call.args[0], point):
                    if isinstance(task, Function | Partial):
                        yield from _waiting(program, module, call, task, pool)


def _stays(pool: Made) -> bool:
    """Whether a pool never leaves the function that makes it, whose tasks then cannot give it any work: its
    methods are called there, and that is all."""
    scope, statement = pool.point.frame.scope, pool.point.statement
    if not isinstance(scope, ast.FunctionDef) or statement is None:
        return False
    match statement:
        case ast.With(items=items):
            targets = [item.optional_vars for item in items if item.context_expr is pool.node]
        case ast.Assign(targets=[target], value=value) if value is pool.node:
            targets = [target]
        case _:
            return False
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    called: set[int] = set()
    for node in function_body(scope):
        match node:
            case ast.Call(func=ast.Attribute(value=held)):
                called.add(id(held))
            case ast.Global(names=shared) if names.intersection(shared):
                return False
    return bool(names) and all(
        node.id not in names or isinstance(node.ctx, ast.Store) or id(node) in called
        for node in walk(scope)
        if isinstance(node, ast.Name)
    )


def _waiting(
    program: Program, module: Module, call: ast.Call, task: Function | Partial, pool: Made
) -> Iterator[Found]:
    code = WorkerCode(program.evaluator)
    code.add_callable(task, "task", module, call.lineno)
    for event in code.events:
        method = event.name.rpartition(".")[2]
        if event.owner is None or method not in _HANDS or not _is_same(program, event.owner, pool):
            continue
        if not isinstance(event.node, ast.Call) or not waits(program.evaluator, event, method):
            continue
        shown = POOLS[pool.name].shown
        yield Found(
            event.module,
            event.node,
            f"a task of this {shown} ({module.relative}:{call.lineno}) waits for work that it "
            "gives the same pool: hang",
            "hang",
            "do the work in the task, or use a second pool",
            f"as many tasks as the pool has {POOLS[pool.name].of} run at once",
            event.reach(),
            by_hand="call the function directly in the task, or give the inner tasks a pool of their own",
        )


def _is_same(program: Program, one: Made, other: Made) -> bool:
    """Whether two pools are one: two objects of a class have a pool each."""
    frame = one.point.frame
    if one.node is not other.node or not isinstance(frame.scope, ast.FunctionDef):
        return bool(one.key == other.key)
    return frame.owner is None or len(program.evaluator.sites.of(frame.scope, frame)) <= 1
