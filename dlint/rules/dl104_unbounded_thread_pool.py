"""Worker code makes a thread pool without a size, or gives it a whole stream at once.

## What it finds

`ThreadPoolExecutor()` and `ThreadPool()` in worker code whose size is left out or None, be that the default
of an option, or is the number of all cores (`os.cpu_count() or 1`, `len(os.sched_getaffinity(0))`,
`max(1, os.cpu_count() - 1)`, `min(32, os.cpu_count() + 4)`); a part of them
(`os.cpu_count() // info.num_workers`) and a small bound (`min(8, os.cpu_count())`) are fine. And, in an
IterableDataset, `executor.map(...)` or `executor.submit(...)` over the whole stream,
or over all of a worker's share of it (`self.files[info.id :: info.num_workers]`, a slice from `info.id * per`
on, an `islice` without an end, also where a function or method gives that): every element is submitted before
the first result is given, be it by a function that gets the pool and the elements, and gives the results or
futures. A chunk at a time is fine, so are results that are wanted in one list before the first item is given,
one task for each source to begin with where more are submitted as results come in, and a pool in the main
process.

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

## Level

- `note`, cost: threads, or memory that grows with the stream.

## Fix safety

Unsafe: the remedy writes a small number; the right one depends on what the threads wait for, and tasks that
wait for each other need as many threads as there are of them. A size that comes from elsewhere, where
somebody may give one, and the window have no remedy.

## References

- https://docs.python.org/3/library/concurrent.futures.html#threadpoolexecutor
- https://docs.python.org/3/library/multiprocessing.html#module-multiprocessing.pool
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.processes.pools import POOLS, THREAD_POOLS
from dlint.program.conditions import executed
from dlint.program.cores import are_all_cores
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.nodes import walk
from dlint.source.statements import given_in, statements_in
from dlint.streams.dividing.whole import is_whole
from dlint.values.frame import Argument, Arguments, Point, arguments_of
from dlint.values.functions import function_body, is_generator
from dlint.values.places import loops_around, path_to, spelled
from dlint.values.values import Items, Table, is_none
from dlint.values.worlds import HERE
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.sharing import codes_of
from dlint.workers.worker import WorkerCode

_REMEDY = Remedy("bound_pool", "unsafe", "Give the pool a small size")
_THREADS = {"ThreadPoolExecutor": "cpu_count() + 4 threads (at most 32)", "ThreadPool": "cpu_count() threads"}
# Calling one of these in the loop that submits keeps the number of waiting tasks in bounds.
_BOUNDS = frozenset({"result", "get", "acquire", "wait", "popleft", "as_completed", "exception"})
_GATHERS = frozenset({"list", "tuple", "set", "dict", "sorted"})


def check(program: Program) -> Iterator[Found]:
    """Thread pools of worker code without a size, and streams that are submitted whole."""
    for code in codes_of(program.uses):
        streams = [event for event in code.events if event.owner and event.owner.name in THREAD_POOLS]
        for event in code.events:
            if isinstance(event.node, ast.Call) and event.owner is None and event.name in THREAD_POOLS:
                yield from _size(program, code, event, event.node)
        for event in code.each_way(streams):
            if isinstance(event.node, ast.Call):
                yield from _stream(program, code, event, event.node)


def _size(program: Program, code: WorkerCode, event: Event, call: ast.Call) -> Iterator[Found]:
    pool = POOLS[event.name]
    arguments = arguments_of(call, event.point)
    given = arguments.positional[0] if arguments.positional else arguments.keywords.get(pool.size)
    if given is None and not all(_has_no(program, each, pool.size) for each in _handed_on(arguments)):
        return
    by_default = ""
    if given is not None and _is_of_all_cores(program, given):
        yield _of_all_cores(program, code, event, call, given)
        return
    if given is not None:
        told = program.evaluator.value_of(given, HERE)
        defaults = [program.evaluator.options.default(value, world) for value, world in told]
        sizes = [default or value for default, (value, _) in zip(defaults, told, strict=True)]
        if not all(map(is_none, sizes)):
            return
        by_default = ", by the default of an option," if any(defaults) else ""
    yield Found(
        event.module,
        call,
        f"{pool.shown} without a size{by_default} in worker code: every worker starts up to "
        f"{_THREADS[pool.shown]}",
        "cost",
        f"give it a small {pool.size}",
        executed(program, code, event),
        event.reach(),
        None if by_default or _handed_on(arguments) else _REMEDY,
        by_hand=f"give it a small {pool.size}, also where nobody asks for one",
    )


def _is_of_all_cores(program: Program, size: Argument) -> bool:
    if size.expression is None or size.point is None:
        return False
    return are_all_cores(program.evaluator, size.expression, size.point, HERE)


def _of_all_cores(program: Program, code: WorkerCode, event: Event, call: ast.Call, size: Argument) -> Found:
    pool = POOLS[event.name]
    written = spelled(size.expression, size.point) if size.expression and size.point else call
    nearly = "nearly " if any(isinstance(node, ast.Sub) for node in walk(written)) else ""
    cure = f"give it a small {pool.size}"
    return Found(
        event.module,
        call,
        f"{pool.shown} with a thread for {nearly}each core in worker code: every worker starts as many",
        "cost",
        cure,
        executed(program, code, event),
        event.reach(),
        _REMEDY if _asks_for_cores(call) else None,
        by_hand=cure,
    )


def _asks_for_cores(call: ast.Call) -> bool:
    """Whether the number of cores is asked for in the call itself, which then needs only another number."""
    given = given_in(call)
    return any(isinstance(each, ast.Call) and ast.unparse(each.func).endswith("cpu_count") for each in given)


def _handed_on(arguments: Arguments) -> list[Argument]:
    """What a call hands on by stars."""
    return [*arguments.spread, *arguments.splats]


def _has_no(program: Program, given: Argument, name: str) -> bool:
    """Whether what is handed on by stars surely has nothing for the first parameter, which has a name."""
    return all(
        (isinstance(value, Items) and not value.items and not value.open)
        or (isinstance(value, Table) and name not in value.items and not value.open)
        for value, _ in program.evaluator.value_of(given, HERE)
    )


def _stream(program: Program, code: WorkerCode, event: Event, call: ast.Call) -> Iterator[Found]:
    """A whole stream handed to a pool: once an epoch, in an ``__iter__`` that yields, or for one."""
    method = event.name.rpartition(".")[2]
    if event.role != "dataset" or not _once_an_epoch(event):
        return
    results = _given_to_generator(event, call)
    if results is None:
        return
    loops = list(loops_around(event.point))
    if method == "map" and event.owner is not None and event.owner.name.endswith("Executor"):
        if loops or len(call.args) < 2 or any(_is_read_at_once(node, point) for node, point in results):
            return
        source, how = call.args[1], "executor.map submits the whole stream before it gives a result"
    elif method in ("submit", "apply_async"):
        submitted = _submitted(event, call, loops)
        if submitted is None or any(
            _is_first_window(point.frame.scope, call)
            for _, point in results
            if isinstance(point.frame.scope, ast.FunctionDef)
        ):
            return
        source, how = submitted, "this submits the whole stream before the first result is read"
    else:
        return
    if not is_whole(program.evaluator, _entered(program, event.point, event.link), source):
        return
    yield Found(
        event.module,
        call,
        f"{how}: memory grows with the stream",
        "cost",
        "submit a bounded window and read every result, else its exceptions are lost",
        executed(program, code, event),
        event.reach(),
        by_hand="keep a deque of at most a few futures: submit one, give the oldest result",
    )


def _given_to_generator(event: Event, call: ast.Call) -> list[tuple[ast.Call, Point]] | None:
    """The call that submits, and those of the functions that hand its results on to what yields, each where
    it stands; None where one does anything else with them."""
    found = [(call, event.point)]
    link: Link | None = event.link
    node, point = call, event.point
    while isinstance(point.frame.scope, ast.FunctionDef) and not is_generator(point.frame.scope):
        if not _is_given_back(node, point) or link is None or link.caller is None:
            return None
        if not isinstance(link.site, ast.Call):
            return None
        node, point, link = link.site, link.caller, link.above
        found.append((node, point))
    return found if isinstance(point.frame.scope, ast.FunctionDef) else None


def _is_given_back(call: ast.Call, point: Point) -> bool:
    """Whether what a call gives, or a list of what it gives each time, is what the function returns."""
    match point.statement:
        case ast.Return(value=ast.ListComp(elt=given) | (ast.expr() as given)):
            return given is call
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.ListComp(elt=given) | (ast.expr() as given)
        ) if given is call:
            read = [
                node
                for node in walk(point.frame.scope)
                if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            ]
            returned = [
                node.value
                for node in walk(point.frame.scope)
                if isinstance(node, ast.Return) and any(each is node.value for each in read)
            ]
            return len(read) == len(returned) == 1
    return False


def _entered(program: Program, point: Point, link: Link) -> Point:
    """The same place with what the functions were given on the way there."""
    if link.caller is None or link.function is None or not isinstance(link.site, ast.Call):
        return point
    caller = _entered(program, link.caller, link.above) if link.above is not None else link.caller
    given = arguments_of(link.site, caller)
    frame = program.evaluator.calls.enter(link.function, given, link.site, caller)
    return Point(frame, point.statement)


def _once_an_epoch(event: Event) -> bool:
    """Whether control comes to a place from ``__iter__`` without a loop on the way, but for one that goes
    through the streams that the dataset holds, one after the other."""
    point, link = event.point, event.link
    while link.above is not None:
        if link.caller is None or link.site is None:
            return False
        if any(not _is_of_streams(loop, link.site) for loop in loops_around(link.caller)):
            return False
        point, link = link.caller, link.above
    return getattr(point.frame.scope, "name", "") == "__iter__"


def _is_of_streams(loop: ast.stmt, gone_through: ast.AST) -> bool:
    """Whether each round of a loop goes through one of what the object holds: ``for part in self.parts:``."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Attribute(value=ast.Name(id="self"))):
            return isinstance(gone_through, ast.Name) and gone_through.id == name
    return False


def _is_read_at_once(call: ast.Call, point: Point) -> bool:
    """Whether all results are wanted together, in a list: what opens the parts of a stream before it gives
    the first item."""
    if isinstance(point.statement, ast.For) and any(each is call for each in walk(point.statement.iter)):
        return not any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk(point.statement))
    return any(
        isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp)
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _GATHERS)
        for node in path_to(point.statement, call)
    )


def _is_first_window(scope: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether a function submits more, as the first results come in: one task for each source to begin with.
    Or reads all results before it gives the first."""
    for node in function_body(scope):
        match node:
            case ast.Call(func=ast.Attribute(attr="submit" | "apply_async")) if node is not call:
                return True
            case ast.ListComp(elt=given) | ast.DictComp(value=given):
                if _is_result(given):
                    return True
    return False


def _is_result(node: ast.expr) -> bool:
    """Whether an expression waits for what a task gives: ``future.result()``."""
    match node:
        case ast.Call(func=ast.Attribute(attr="result" | "get"), args=[]):
            return True
    return False


def _submitted(event: Event, call: ast.Call, loops: list[ast.stmt]) -> ast.expr | None:
    """What the innermost loop around a submitting call goes through, where nothing in it waits."""
    statement = event.point.statement
    if statement is None or len(loops) > 1:
        return None
    for node in walk(statement):
        match node:
            case ast.ListComp(elt=given) | ast.SetComp(elt=given) | ast.DictComp(key=given):
                if any(each is call for each in walk(given)):
                    return node.generators[0].iter if not loops else None
    if not loops or not isinstance(loops[0], ast.For):
        return None
    for inner in statements_in(loops[0].body):
        for node in walk(inner):
            match node:
                case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _BOUNDS:
                    return None
                case ast.Yield() | ast.YieldFrom() | ast.Break():
                    return None
    return loops[0].iter
