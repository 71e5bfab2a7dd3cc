"""Worker code starts processes of its own.

## What it finds

`multiprocessing.Pool`, `ProcessPoolExecutor`, `multiprocessing.Process` or a `DataLoader` with workers,
made in worker code of a loader that has workers, or tqdm's `process_map` called there. Pools of threads,
`subprocess` and a nested loader with `num_workers=0` are fine, and so is code that runs only where
`get_worker_info()` is None.

## Why is this bad

A worker is a daemonic process, and those may have no children. The worker ends with
`AssertionError: daemonic processes are not allowed to have children` (measured, every run).

## Example

```python
def __getitem__(self, index):
    with multiprocessing.Pool(2) as pool:
        return pool.map(decode, self.frames[index])
```

Use instead the workers, which are processes already:

```python
def __getitem__(self, index):
    return [decode(frame) for frame in self.frames[index]]
```

## Level

- `error`, error: a worker may have no children.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

No remedy: what replaces the processes is a decision.

## References

- https://docs.python.org/3/library/multiprocessing.html#multiprocessing.Process.daemon
- https://pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.knowledge.processes.pools import POOLS, PROCESS_MAPS, PROCESS_STARTS, PROCESSES
from dlint.loaders.loaders import is_zero
from dlint.program.conditions import executed
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.nodes import walk
from dlint.values.places import tests_around
from dlint.values.values import Const, Made
from dlint.workers.events import Event
from dlint.workers.sharing import codes_of
from dlint.workers.worker import WorkerCode

_STARTERS = (
    frozenset(name for name, pool in POOLS.items() if pool.of == "processes") | PROCESSES | PROCESS_STARTS
)
# A test that mentions one of these tells workers and the main process apart.
_WORKER_TESTS = ("worker_info", "daemon", "parent_process", "current_process", "main_process")


def check(program: Program) -> Iterator[Found]:
    """Processes, pools of them and loaders with workers that worker code makes."""
    for code in codes_of(use for use in program.uses if use.loader is not None):
        for event in code.events:
            what = _starts(program, code, event)
            if what and isinstance(event.node, ast.Call) and not _tells_apart(program, event):
                yield Found(
                    event.module,
                    event.node,
                    f"worker code makes {what}: daemonic processes are not allowed to have "
                    "children (AssertionError)",
                    "error",
                    "do the work in the worker itself, or in threads",
                    executed(program, code, event),
                    event.link.steps(event.name, event.module, event.node),
                    by_hand="do the work in the worker itself (num_workers=0 for a loader inside a worker)",
                )


def _starts(program: Program, code: WorkerCode, event: Event) -> str | None:
    """What worker code makes that starts processes, in words."""
    if event.owner is not None and "get_context" not in event.name:
        return None
    shown = event.name.rpartition(".")[2]
    if event.name in PROCESSES:
        # A process that is made and not started does no harm.
        started = any(
            other.owner is not None and other.owner.node is event.node and other.name.endswith(".start")
            for other in code.events
        )
        return f"a multiprocessing.{shown}" if started else None
    if event.name in PROCESS_MAPS:
        return f"the ProcessPoolExecutor of {shown}"
    if event.name in _STARTERS:
        return f"a {shown}" if shown != "Pool" else "a multiprocessing.Pool"
    loader = program.made_by(event.node)
    if loader is not None:
        counts = loader.values("num_workers")
        if all(isinstance(count, Const) and not is_zero(count) for count in counts):
            return "a DataLoader with workers"
    return None


def _tells_apart(program: Program, event: Event) -> bool:
    """Whether a test around the call asks which process it is in."""
    for test, _, _ in tests_around(event.point):
        if any(word in ast.unparse(test) for word in _WORKER_TESTS):
            return True
        for node in walk(test):
            if isinstance(node, ast.Name):
                for value, _ in program.evaluator.values(node, event.point, event.world):
                    if isinstance(value, Made) and value.name.endswith(".get_worker_info"):
                        return True
    return False
