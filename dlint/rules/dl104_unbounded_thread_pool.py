"""Worker code makes a thread pool without a size, or gives it a whole stream at once.

## What it finds

`ThreadPoolExecutor()` and `ThreadPool()` in worker code whose size is left out or None. And, in an
IterableDataset, `executor.map(...)` or `executor.submit(...)` over the whole stream: every element is
submitted before the first result is given. A pool in the main process is fine.

## Why is this bad

- Without a size a `ThreadPoolExecutor` takes up to `os.cpu_count() + 4` threads (at most 32) and a
  `ThreadPool` `os.cpu_count()`, **in every worker**: workers times cores threads fight for the cores.
- `executor.map` over a generator is eager. Measured: 500,000 futures take the process from 11 to 857 MB, and
  the exceptions of results that nobody reads are lost silently.

## Example

```python
def __iter__(self):
    with ThreadPoolExecutor() as executor:
        yield from executor.map(read, self.indices())
```

Use instead a size, and a window of futures:

```python
def __iter__(self):
    with ThreadPoolExecutor(max_workers=4) as executor:
        waiting = deque()
        for index in self.indices():
            waiting.append(executor.submit(read, index))
            if len(waiting) == 16:
                yield waiting.popleft().result()
        for future in waiting:
            yield future.result()
```

## Fix safety

Unsafe: the remedy writes a small number; the right one depends on what the threads wait for. The window
has no remedy.

## References

- https://docs.python.org/3/library/concurrent.futures.html#threadpoolexecutor
- https://docs.python.org/3/library/multiprocessing.html#module-multiprocessing.pool
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.pools import POOLS, THREAD_POOLS
from dlint.module.layout import dotted, statements_in
from dlint.program.events import Event, is_generator
from dlint.program.frame import arguments_of
from dlint.program.program import Program
from dlint.program.repetition import loops_around
from dlint.program.sharing import codes_of
from dlint.program.values import HERE, Const, Function
from dlint.rules.rule import Found

_REMEDY = Remedy("bound_pool", "unsafe", "Give the pool a small size")
_THREADS = {"ThreadPoolExecutor": "cpu_count() + 4 threads (at most 32)", "ThreadPool": "cpu_count() threads"}
# Calling one of these in the loop that submits keeps the number of waiting tasks in bounds.
_BOUNDS = frozenset({"result", "get", "acquire", "wait", "popleft", "as_completed", "exception"})
_ENDLESS = frozenset({"itertools.count", "itertools.cycle", "itertools.chain", "itertools.repeat"})


def check(program: Program) -> Iterator[Found]:
    """Thread pools of worker code without a size, and streams that are submitted whole."""
    for code in codes_of(program.uses):
        for event in code.events:
            if not isinstance(event.node, ast.Call):
                continue
            if event.owner is None and event.name in THREAD_POOLS:
                yield from _size(program, event, event.node)
            elif event.owner is not None and event.owner.name in THREAD_POOLS:
                yield from _stream(program, event, event.node)


def _size(program: Program, event: Event, call: ast.Call) -> Iterator[Found]:
    pool = POOLS[event.name]
    arguments = arguments_of(call, event.point)
    given = arguments.positional[0] if arguments.positional else arguments.keywords.get(pool.size)
    if given is None and (arguments.spread or arguments.splats):
        return
    if given is not None:
        sizes = [value for value, _ in program.evaluator.value_of(given, HERE)]
        if not all(isinstance(value, Const) and value.value is None for value in sizes):
            return
    yield Found(
        event.module,
        call,
        f"{pool.shown} without a size in worker code: every worker starts up to {_THREADS[pool.shown]}; "
        f"give it a small {pool.size}",
        event.link.steps(event.name, event.module, call),
        _REMEDY,
    )


def _stream(program: Program, event: Event, call: ast.Call) -> Iterator[Found]:
    """A whole stream handed to a pool: once an epoch, in an ``__iter__`` that yields."""
    method = event.name.rpartition(".")[2]
    scope = event.point.frame.scope
    if not isinstance(scope, ast.FunctionDef) or not is_generator(scope) or event.role != "dataset":
        return
    loops = list(loops_around(event.point))
    if method == "map" and event.owner is not None and event.owner.name.endswith("Executor"):
        if loops or len(call.args) < 2 or not _is_stream(program, event, call.args[1]):
            return
        how = "executor.map submits the whole stream before it gives the first result"
    elif method in ("submit", "apply_async"):
        source = _submitted(event, call, loops)
        if source is None or not _is_stream(program, event, source):
            return
        how = "this submits the whole stream before the first result is read"
    else:
        return
    yield Found(
        event.module,
        call,
        f"{how}: 500,000 waiting tasks took a process from 11 to 857 MB, and the exceptions of results that "
        "nobody reads are lost; submit a bounded window and read every result",
        event.link.steps(event.name, event.module, call),
        by_hand="keep a deque of at most a few futures: submit one, give the oldest result",
    )


def _submitted(event: Event, call: ast.Call, loops: list[ast.stmt]) -> ast.expr | None:
    """What the innermost loop around a submitting call goes through, where nothing in it waits."""
    statement = event.point.statement
    if statement is None or len(loops) > 1:
        return None
    for node in ast.walk(statement):
        if isinstance(node, ast.ListComp) and any(each is call for each in ast.walk(node.elt)):
            return node.generators[0].iter if not loops else None
    if not loops or not isinstance(loops[0], ast.For):
        return None
    for inner in statements_in(loops[0].body):
        for node in ast.walk(inner):
            if isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] in _BOUNDS:
                return None
            if isinstance(node, ast.Yield | ast.Break):
                return None
    return loops[0].iter


def _is_stream(program: Program, event: Event, node: ast.expr) -> bool:
    """Whether an expression surely gives the whole stream: a generator of the program, something endless,
    or all that the dataset holds."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "self"
    if isinstance(node, ast.GeneratorExp):
        return _is_stream(program, event, node.generators[0].iter)
    if not isinstance(node, ast.Call):
        return False
    for value, _ in program.evaluator.values(node.func, event.point):
        if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
            return is_generator(value.node)
        if getattr(value, "name", "") in _ENDLESS:
            return True
        if getattr(value, "name", "") in ("builtins.enumerate", "builtins.iter", "builtins.zip"):
            return bool(node.args) and _is_stream(program, event, node.args[0])
    return False
