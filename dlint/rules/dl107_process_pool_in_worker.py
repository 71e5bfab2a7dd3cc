"""Worker code starts processes of its own.

## What it finds

`multiprocessing.Pool`, `ProcessPoolExecutor`, `multiprocessing.Process` or a `DataLoader` with workers,
made in worker code of a loader that has workers, or tqdm's `process_map` called there, or a pass there over a
`DataLoader` with workers that an object has kept, alone or among others (`iter(self.loaders[i])`). Pools of
threads, `subprocess` and a nested loader with `num_workers=0` are fine, and so is code that runs only where
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
from dlint.loaders.loaders import Loader, is_zero
from dlint.program.asked import for_visit
from dlint.program.conditions import any_loaded, both, executed
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.nodes import walk
from dlint.source.statements import dotted, own_nodes, statements_in
from dlint.values.frame import Point
from dlint.values.places import tests_around
from dlint.values.values import Const, Made, Unknown
from dlint.values.worlds import World
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
    kept = _kept(program)
    for code in codes_of(use for use in program.uses if use.loader is not None):
        if kept:
            yield from _gone_through(program, code, kept)
        for event in code.events:
            what = _starts(program, code, event)
            if not what or not isinstance(event.node, ast.Call):
                continue
            if not _tells_apart(program, event.point, event.world):
                yield Found(
                    event.module,
                    event.node,
                    f"worker code makes {what}: daemonic processes are not allowed to have "
                    "children (AssertionError)",
                    "error",
                    "do the work in the worker itself, or in threads",
                    executed(program, code, event),
                    event.reach(),
                    by_hand="do the work in the worker itself (num_workers=0 for a loader inside a worker)",
                )


def _gone_through(program: Program, code: WorkerCode, kept: frozenset[str]) -> Iterator[Found]:
    """Passes of worker code over loaders with workers that objects have kept, in attributes of some names:
    their processes are started there, whoever has made the loader."""
    told: set[int] = set()
    for visit in code.visits:
        if isinstance(visit.function.node, ast.Lambda) or id(visit.function.node) in told:
            continue
        if not any(f".{name}" in visit.function.module.text_of(visit.function.node) for name in kept):
            continue
        for statement in statements_in(visit.function.node.body):
            for held in _iterated(statement):
                point = Point(visit.frame, statement)
                starts = (
                    _attribute(held) in kept
                    and not _tells_apart(program, point, visit.world)
                    and _has_workers(program, held, point, visit.world)
                )
                if starts and id(visit.function.node) not in told:
                    told.add(id(visit.function.node))
                    uses = (use for use in program.uses if use.code is code or use.beside is code)
                    yield Found(
                        visit.function.module,
                        held,
                        f"worker code goes through {ast.unparse(held)}, a DataLoader with workers: daemonic "
                        "processes are not allowed to have children (AssertionError)",
                        "error",
                        "do the work in the worker itself, or in threads",
                        both(any_loaded(program, uses), for_visit(program, visit, statement)),
                        visit.link.steps(ast.unparse(held), visit.function.module, held),
                        by_hand="give the loader inside num_workers=0",
                    )


def _kept(program: Program) -> frozenset[str]:
    """The names of the attributes in which loaders with workers are stored, each or several in a list or
    dict."""
    return frozenset(
        name
        for loader in program.loaders
        for name in _stored_in(loader.point.statement)
        if _surely_has_workers(loader)
    )


def _stored_in(statement: ast.stmt | None) -> Iterator[str]:
    match statement:
        case ast.Assign(targets=targets):
            yield from filter(None, map(_attribute, targets))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr="append"))):
            yield name


def _attribute(held: ast.expr) -> str:
    """The name of an attribute, or of one of whose list or dict something is taken (``self.loaders[i]``)."""
    held = held.value if isinstance(held, ast.Subscript) else held
    return held.attr if isinstance(held, ast.Attribute) else ""


def _has_workers(program: Program, held: ast.expr, point: Point, world: World) -> bool:
    """Whether an attribute is surely a loader with workers, or what is taken of it, as far as that is known:
    a list which a loop fills may hold others."""
    values = [value for value, _ in program.evaluator.values(held, point, world)]
    if isinstance(held, ast.Subscript):
        values = [value for value in values if not isinstance(value, Unknown)]
    found = [program.made_by(value.node) if isinstance(value, Made) else None for value in values]
    return bool(found) and all(loader is not None and _surely_has_workers(loader) for loader in found)


def _surely_has_workers(loader: Loader) -> bool:
    counts = loader.values("num_workers")
    return all(isinstance(count, Const) and not is_zero(count) for count in counts)


def _iterated(statement: ast.stmt) -> Iterator[ast.expr]:
    """The attributes, or things in them, that a statement goes through, or begins to."""
    sources = [statement.iter] if isinstance(statement, ast.For) else []
    for node in own_nodes(statement):
        match node:
            case ast.comprehension(iter=source):
                sources.append(source)
            case ast.Call(func=ast.Name(id="iter" | "list"), args=[source]):
                sources.append(source)
    for source in sources:
        if isinstance(source, ast.Call) and dotted(source.func) == "enumerate" and source.args:
            source = source.args[0]
        if _attribute(source):
            yield source


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
    if loader is not None and _surely_has_workers(loader):
        return "a DataLoader with workers"
    return None


def _tells_apart(program: Program, point: Point, world: World) -> bool:
    """Whether a test around a point asks which process it is in."""
    for test, _, _ in tests_around(point):
        if any(word in ast.unparse(test) for word in _WORKER_TESTS):
            return True
        for node in walk(test):
            if isinstance(node, ast.Name):
                for value, _ in program.evaluator.values(node, point, world):
                    if isinstance(value, Made) and value.name.endswith(".get_worker_info"):
                        return True
    return False
