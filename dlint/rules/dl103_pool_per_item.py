"""Worker code makes a thread pool for every item.

## What it finds

`ThreadPoolExecutor(...)` or `ThreadPool(...)` made in `__getitem__`, `collate_fn`, a transform or what
these call, and not kept for the next item. A pool that `__iter__` of an IterableDataset makes once, before
its loop, or for a file of many items is fine, and so is one that is kept in an attribute, a dictionary or a
cache, or made only where a file does not exist yet. An executor that a dictionary keeps only where it has
none yet (`setdefault`) has no threads when it is let go of again.

Also `asyncio.run(...)` or `asyncio.new_event_loop()` for every item, where the coroutine gives work to the
loop's own pool: by `asyncio.to_thread` or `loop.run_in_executor(None, ...)`.

## Why is this bad

Starting and ending threads costs more than most items. Measured over 2000 items, against one pool that is
kept: `with ThreadPoolExecutor` 2.9 times slower, `ThreadPool` with close and join 4.3 times,
`with ThreadPool` 10 times, never closed 18 times. Where the pools are kept alive, threads grow from 3 to
4003. An event loop for every item, with four `asyncio.to_thread` in it, is 5 times slower than a kept one.

## Example

```python
def __getitem__(self, index):
    with ThreadPoolExecutor(4) as executor:
        return list(executor.map(read_frame, self.frames[index]))
```

Use instead one pool for each process:

```python
_executor_by_pid = {}

@property
def _executor(self):
    pid = os.getpid()
    if pid not in self._executor_by_pid:
        self._executor_by_pid[pid] = ThreadPoolExecutor(4)
    return self._executor_by_pid[pid]

def __getitem__(self, index):
    return list(self._executor.map(read_frame, self.frames[index]))
```

Or none: the workers already load several items at a time.

## Level

- `note`, cost: starting and ending the pool takes most of the time.

## Fix safety

Unsafe: the threads live on between items, with what they keep, until their process ends. All objects of the
class share the pool of their process; as an attribute of the class it is in no pickle. Left to you: event
loops, a pool whose size the item decides, results that the method does not surely wait for (a loop over
futures that it may leave, a `timeout`), and tasks that come back to the method, which would wait for their
own pool.

## References

- https://docs.python.org/3/library/concurrent.futures.html#threadpoolexecutor
- https://pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import ReachStep, Remedy
from dlint.knowledge.processes.pools import (
    MAKE_LOOPS,
    POOLS,
    RUN_IN_OWN_POOL,
    RUNS_IN_LOOP,
    THREAD_POOLS,
    TO_THREAD,
)
from dlint.program.conditions import executed
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.workers.events import Event
from dlint.workers.repetition import PerItem, is_once, is_spare
from dlint.workers.sharing import codes_of
from dlint.workers.worker import WorkerCode

_SLOWER = {"ThreadPoolExecutor": "2.9", "ThreadPool": "4 to 10"}
_REMEDY = Remedy(
    "pool_per_process", "unsafe", "Keep one pool per process, keyed on os.getpid()", {"kind": "per-item"}
)


def check(program: Program) -> Iterator[Found]:
    """Thread pools that worker code makes again and again."""
    for code in codes_of(program.uses):
        events = [event for event in code.events if event.name in THREAD_POOLS and event.owner is None]
        loops = [event for event in code.events if event.name in MAKE_LOOPS and event.owner is None]
        if not events and not loops:
            continue
        repetition = PerItem(program.evaluator, code)
        yield from _by_loops(program, code, loops, repetition)
        for event in events:
            program.evaluator.start()
            if not isinstance(event.node, ast.Call) or not repetition.made_anew(event.node, event.point):
                continue
            if POOLS[event.name].lazy and is_spare(event.node, event.point):
                continue  # its threads would start with the first task
            shown = POOLS[event.name].shown
            method = event.point.frame.owner is not None
            steps = event.reach()
            time = "batch" if event.role == "collate_fn" or _is_of_a_batch(steps) else "item"
            yield Found(
                event.module,
                event.node,
                f"worker code makes a {shown} for every {time}: {_SLOWER[shown]} times slower "
                "than one that is kept",
                "cost",
                "keep one per process, keyed on os.getpid(), or load without threads",
                executed(program, code, event),
                steps,
                _REMEDY if method else None,
            )


def _by_loops(program: Program, code: WorkerCode, loops: list[Event], repetition: PerItem) -> Iterator[Found]:
    """Event loops that worker code makes for every item, and whose own pool has threads: what runs there
    gives it work (``asyncio.to_thread``)."""
    for event in loops:
        program.evaluator.start()
        made_in = event.point.frame.scope
        if not isinstance(event.node, ast.Call) or not _is_loop_made(repetition, event, event.node):
            continue
        giving = next((each for each in code.events if _gives_own_pool(each, made_in)), None)
        if giving is None:
            continue
        steps = event.reach()
        time = "batch" if event.role == "collate_fn" or _is_of_a_batch(steps) else "item"
        by = giving.name.rpartition(".")[2]
        yield Found(
            event.module,
            event.node,
            f"worker code makes an event loop for every {time}, and {by} a thread pool in it: 5 times slower "
            "than a loop that is kept",
            "cost",
            "keep one loop per process, keyed on os.getpid(), and its run_until_complete; or load without "
            "threads",
            executed(program, code, event),
            steps,
        )


def _is_loop_made(repetition: PerItem, event: Event, call: ast.Call) -> bool:
    """Whether a call makes an event loop for every item: what ``asyncio.run`` returns is none."""
    if event.name != RUNS_IN_LOOP:
        return repetition.made_anew(call, event.point)
    often = repetition.looped(call, event.point) or repetition.often(
        event.point.frame.scope, event.point.frame
    )
    return often and not is_once(call, event.point)


def _gives_own_pool(event: Event, made_in: ast.AST) -> bool:
    """Whether a coroutine that a function calls gives work to the pool that the loop itself has."""
    if event.name == TO_THREAD:
        pass
    elif event.name in RUN_IN_OWN_POOL and isinstance(event.node, ast.Call):
        match event.node.args:
            case [ast.Constant(value=None), *_]:
                pass
            case _:
                return False
    else:
        return False
    return isinstance(event.point.frame.scope, ast.AsyncFunctionDef) and any(
        at.frame.scope is made_in for _, at in event.link.calls()
    )


def _is_of_a_batch(steps: tuple[ReachStep, ...]) -> bool:
    """Whether workers come to the end of a reach once for all the items of a batch."""
    names = [step.name.rpartition(".")[2] for step in steps]
    return "__getitems__" in names and "__getitem__" not in names
