"""A pool, thread or held lock of the parent is used in worker code.

## What it finds

What the parent makes and worker code uses: a pool of threads or processes (`ThreadPool`,
`ThreadPoolExecutor`, `multiprocessing.Pool`, `ProcessPoolExecutor`) made in `Dataset.__init__`, at module
level or in main; a queue that a thread of the parent fills; a lock that a thread of the parent takes; be they
in a list or dict, under the keys that both ask for. Also a pool that worker code makes at its first use (`if
self.pool is None:`, `lru_cache`) where the parent reads an item first, surely runs a method or function that
needs it, or the constructor asks for it, and so makes it there. A pool that is finished before the workers
start (a `with` block in `__init__`) is fine, and so are a thread that is joined by then (`dataset.wait()`)
and a pool that every process makes for itself.

## Why is this bad

A fork copies the objects of the parent and none of its threads. Measured:

- `ThreadPool` made in `__init__` or at module level: the worker **hangs** in 4 of 4 runs, even if the parent
  never used the pool.
- `ThreadPoolExecutor` and `ProcessPoolExecutor` start their threads with the first task: once the parent
  has read one item, or given it other work (by `client.ping()`), the workers **hang** (5 of 5, 3 of 3).
  It passes now and then: where one of two threads did all of the parent's work (in 16 of 2,000 pools that
  got two short tasks), a worker starts the other and goes on. A cold `ThreadPoolExecutor` survives the
  fork: one counts where the parent surely gives it work before, as by a method of the dataset, or of the
  client that the dataset holds.
- A thread started in `__init__` that fills a `queue.Queue`: **hangs** in 5 of 5 runs.
- A `threading.Lock` that a thread of the parent holds at the fork: **hangs** in 6 of 6 runs. A lock that
  nobody holds is fine.
- `multiprocessing.Pool` of the parent: **hangs** in 3 of 3 runs.

Under spawn and forkserver (the default on macOS, Windows and, from Python 3.14, Linux) none of them can be
sent to a worker: `NotImplementedError: pool objects cannot be passed between processes or pickled`,
`TypeError: cannot pickle ...`. A pool that worker code uses as a global of its module is made anew there.

## Example

```python
class Clips(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.pool = ThreadPool(4)

    def __getitem__(self, index):
        return self.pool.map(decode, self.paths[index])
```

Use instead a pool for each process:

```python
class Clips(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self._pool_by_pid = {}

    @property
    def pool(self):
        pid = os.getpid()
        if pid not in self._pool_by_pid:
            self._pool_by_pid[pid] = ThreadPool(4)
        return self._pool_by_pid[pid]

    def __getstate__(self):
        return {**self.__dict__, "_pool_by_pid": {}}
```

`if self.pool is None:` is no cure: once the parent has read an item, the workers inherit its pool (hang,
4 of 4). Nor is `__getstate__` alone: a fork pickles nothing.

## Level

- `error`, hang: workers are forked and the pool, thread or queue has threads in the parent by then.
- `error`, error: the workers are started anew: a pool cannot be pickled.
- `warning`, hang: an executor whose threads nobody has started, if the parent has read an item before or
  the workers are not forked; a lock, if a thread holds it while the worker is forked.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Unsafe: the attribute becomes a property, and each process makes its pool when it first asks for it, instead
of with the object; where a test asks whether there is one (`if self.pool is None:`), it asks as well whether
it is this process's. An inherited `__getstate__` is built upon. Left to you: an attribute that any code of
the program stores or deletes (a subclass, a script, `setattr`), a class with `__slots__`, `__del__`,
`__getattr__` or a `__getstate__` of another kind, and one derived from a library's class that may have its
own. Pools of processes, threads and locks have no remedy.

## References

- https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
- https://pytorch.org/docs/stable/data.html#platform-specific-behaviors
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Effect, ReachStep, Remedy
from dlint.fork.early.per_process import is_given_process
from dlint.fork.early.put_to_work import Early, is_busy, made_by_constructor, made_early, worked_early
from dlint.fork.early.reads import item_read_in_parent
from dlint.fork.early.reset import is_met_after_fork, resetting
from dlint.fork.sides import (
    ParentThread,
    functions_of,
    made_in_parent,
    names_of,
    parent_threads,
    renewed,
    worker_functions,
)
from dlint.fork.start_method import STARTS_ANEW
from dlint.knowledge.processes.pools import LOCKS, POOLS, THREAD_QUEUES, THREADS, gives_work
from dlint.program.asked import for_made
from dlint.program.conditions import NOT_FORKED, both, loaded
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import place
from dlint.source.nodes import walk
from dlint.source.statements import bare_name
from dlint.values.frame import Point
from dlint.values.functions import function_body
from dlint.values.methods import is_cached
from dlint.values.values import Instance, Made
from dlint.workers.events import Event, Visit
from dlint.workers.repetition import is_once
from dlint.workers.sharing import codes_of
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

_SERVED = frozenset(POOLS) | THREAD_QUEUES | LOCKS


def check(program: Program) -> Iterator[Found]:
    """Pools, queues and locks that worker code uses and the parent's threads serve."""
    if not program.uses:
        return
    threads = _Threads(program)
    mentioning = program.modules.index.mentioning
    locks = bool(mentioning("Thread") and mentioning("Lock"))
    entered = {id(code): list(entered_locks(program, code)) for code in codes_of(program.uses) if locks}
    for use in program.uses:
        events = [event for event in use.code.events if event.owner and event.owner.name in _SERVED]
        if not (events or entered.get(id(use.code))):
            continue
        worker = functions_of(program, use)
        for event in events:
            owner = event.owner
            method = event.name.rpartition(".")[2]
            if owner is None or (owner.name not in POOLS and not made_in_parent(program, owner, worker)):
                continue
            if renewed(program, use, owner):
                continue
            if owner.name in POOLS and gives_work(method):
                yield from _pool(program, use, event, owner, worker)
            elif owner.name in THREAD_QUEUES and method in ("get", "get_nowait", "put"):
                yield from _queue(program, threads, use, event, owner, method)
            elif owner.name in LOCKS and method in ("acquire", "wait"):
                yield from _lock(program, threads, use, owner, event.reach())
        for lock, steps in entered.get(id(use.code), ()):
            if made_in_parent(program, lock, worker) and not renewed(program, use, lock):
                yield from _lock(program, threads, use, lock, steps)


def _pool(
    program: Program, use: WorkerUse, event: Event, made: Made, worker: frozenset[int]
) -> Iterator[Found]:
    assert isinstance(made.node, ast.expr)
    pool = POOLS[made.name]
    before = made_in_parent(program, made, worker)
    maker = made.point.frame.owner
    resets = resetting(program, use, None if before else maker, names_of(made))
    read = item_read_in_parent(program, use, maker, resets=resets, by=made.point.frame.scope)
    early: Early | None = None
    if not before:
        kept = is_once(made.node, made.point) or is_cached(made.point.frame.scope)
        # An executor has no threads before it is given work.
        by_constructor = read is None and kept and not pool.lazy and made_by_constructor(program, use, made)
        if not kept or _per_process(program, use, made):
            return
        if read is None and not by_constructor:
            early = worked_early(program, use, made) if pool.lazy else made_early(program, use, made)
            if early is None:
                return
    threads = pool.of == "threads"
    warm = f"{read[0].relative}:{read[1].lineno}" if read is not None else ""
    busy = before and pool.lazy and is_busy(program, use, made)
    if before and pool.lazy and not (warm or busy):
        early = worked_early(program, use, made)
        busy = early is not None
    cold = before and not warm and not busy and pool.lazy and threads
    method = program.start_method_of(use)
    if _is_made_by_import(program, use, made):
        if cold or method in STARTS_ANEW:
            return
    elif cold and method == "fork":
        return
    shown, condition = pool.shown, None
    effect: Effect = "hang"
    if method in STARTS_ANEW:
        what = f"worker code uses a {shown} of the parent, which cannot be pickled: {method} workers fail"
        effect = "error"
    elif not before and early is not None and early.used is not None:
        what = f"the parent runs {early.used.shown} and so makes the {shown} that workers inherit: they hang"
    elif not before and read is None:
        what = f"the constructor asks for the {shown} that workers inherit: they hang"
    elif not before:
        what = f"the parent reads an item and so makes the {shown} that workers inherit: they hang"
    elif cold:
        what = f"worker code uses a {shown} of the parent: workers hang, or cannot be sent it"
        condition = f"the parent has read an item before, or {NOT_FORKED}"
    elif pool.lazy and (busy or warm):
        how = "gives it work" if busy else "reads an item"
        what = (
            f"worker code uses a {shown} after the parent {how}: forked workers hang, without its {pool.of}"
        )
    else:
        what = f"worker code uses a {shown} of the parent: forked workers hang, without its {pool.of}"
    cure = "make it in each worker, keyed on os.getpid()" if threads else "let the workers do the work"
    where = f" (item read at {warm})" if warm and not busy else ""
    if early is not None and early.used is not None:
        where = f" (at {place(early.used.module, early.used.node)})"
    kind = {} if before else {"kind": "needed"}
    remedy = Remedy("pool_per_process", "unsafe", "Make the pool in each process, keyed on os.getpid()", kind)
    yield Found(
        made.point.frame.module,
        made.node,
        what,
        effect,
        cure + where,
        both(loaded(program, use, event), for_made(program, made), condition),
        event.reach(),
        remedy if threads else None,
        by_hand=None if threads else f"{cure}, and leave it out of __getstate__",
    )


def _is_made_by_import(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether spawned workers make a pool of their own: they import the module, its classes with it, and the
    dataset does not bring the parent's."""
    frame = made.point.frame
    while isinstance(frame.scope, ast.ClassDef) and frame.outer is not None:
        frame = frame.outer
    if not isinstance(frame.scope, ast.Module):
        return False
    return all(part.value.key != made.key for part in program.shipped(use))


def _per_process(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether the code around the making of a pool looks at the process id, or is given it."""
    scope = made.point.frame.scope
    return is_given_process(program.evaluator, use.code.visits, scope) or any(
        bare_name(node) == "getpid" for node in walk(scope)
    )


class _Threads:
    """The threads of the parent, and what they do with queues and locks; read when first asked for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: list[tuple[ParentThread, WorkerCode]] | None = None

    def _all(self) -> list[tuple[ParentThread, WorkerCode]]:
        if self._known is None:
            self._known = []
            for thread in parent_threads(self._program, THREADS, worker_functions(self._program)):
                code = WorkerCode(self._program.evaluator)
                for target in thread.targets:
                    code.add_callable(target, "thread", thread.module, thread.call.lineno)
                self._known.append((thread, code))
        return self._known

    def at_other_end(self, queue: Made, methods: tuple[str, ...], use: WorkerUse) -> ParentThread | None:
        """The thread that calls one of the methods on a queue, and may still do so when workers start."""
        for thread, code in self._all():
            if any(
                event.owner is not None
                and _may_be_one(event.owner, queue, use)
                and event.name.rpartition(".")[2] in methods
                for event in code.events
            ) and not thread.ends_before(self._program, use):
                return thread
        return None

    def taking(self, lock: Made, use: WorkerUse) -> ParentThread | None:
        """The thread that takes a lock, and may still do so when workers start."""
        for thread, code in self._all():
            owners = [event.owner for event in code.events if event.owner is not None]
            entered = (other for other, _ in entered_locks(self._program, code))
            if any(_may_be_one(other, lock, use) for other in (*owners, *entered)) and not thread.ends_before(
                self._program, use
            ):
                return thread
        return None


def _may_be_one(other: Made, used: Made, use: WorkerUse) -> bool:
    """Whether a thing that a thread has may be the one that worker code uses: those that two objects of a
    class keep are two. One dataset stands for all that are made of the same, wherever they are made."""
    if other.node is not used.node:
        return False
    ours, theirs = used.point.frame.receiver, other.point.frame.receiver
    if not (isinstance(ours, Instance) and isinstance(theirs, Instance)) or ours.key in use.code.instances:
        return True
    return ours.node is None or theirs.node is None or ours.node is theirs.node


def _queue(
    program: Program, threads: _Threads, use: WorkerUse, event: Event, queue: Made, method: str
) -> Iterator[Found]:
    other = ("get", "get_nowait") if method == "put" else ("put", "put_nowait")
    thread = threads.at_other_end(queue, other, use)
    if thread is None or (method == "put" and not queue.arguments.all()):
        return
    verb = "fills" if method != "put" else "empties"
    yield Found(
        thread.module,
        thread.call,
        f"a thread of the parent {verb} a queue that worker code waits for: forked workers hang",
        "hang",
        "start the thread in the worker",
        loaded(program, use, event),
        event.reach(),
        by_hand="start the thread in the worker, in __iter__ or keyed on os.getpid(), and shard by worker id",
    )


def _lock(
    program: Program, threads: _Threads, use: WorkerUse, lock: Made, steps: tuple[ReachStep, ...]
) -> Iterator[Found]:
    thread = threads.taking(lock, use)
    holder = lock.point.frame.receiver
    cls = holder.cls if isinstance(holder, Instance) else lock.point.frame.owner
    if thread is None or is_met_after_fork(program, use, lock, cls, names_of(lock)):
        return
    assert isinstance(lock.node, ast.expr)
    yield Found(
        lock.point.frame.module,
        lock.node,
        "a thread of the parent and worker code take this lock: a worker waits for ever",
        "hang",
        "give each worker a new lock in worker_init_fn",
        both(
            loaded(program, use),
            f"the thread ({thread.module.relative}:{thread.call.lineno}) holds it while the worker is forked",
        ),
        steps,
        by_hand="make a new lock in worker_init_fn on get_worker_info().dataset, or with os.register_at_fork",
    )


def entered_locks(program: Program, code: WorkerCode) -> Iterator[tuple[Made, tuple[ReachStep, ...]]]:
    """The locks that code enters with ``with``, and the chain that leads there."""
    for visit in code.visits:
        for node, held in _entered(visit):
            point = Point(visit.frame, node)
            for value, _ in program.evaluator.values(held, point, visit.world):
                if isinstance(value, Made) and value.name in LOCKS:
                    yield value, visit.link.steps(value.name, visit.function.module, node)


def _entered(visit: Visit) -> list[tuple[ast.With, ast.expr]]:
    """What a function enters with ``with``, read once for all visits of it."""
    answers = visit.frame.layout.answers
    if _entered not in answers:
        function = visit.function
        nodes = function_body(function.node) if "with" in function.module.text_of(function.node) else ()
        answers[_entered] = [
            (node, item.context_expr)
            for node in nodes
            if isinstance(node, ast.With)
            for item in node.items
            if isinstance(item.context_expr, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        ]
    found: list[tuple[ast.With, ast.expr]] = answers[_entered]
    return found
