"""Worker code uses native threads that a fork of the parent leaves behind.

## What it finds

In worker code that may be forked:

- `torch.set_num_threads(n)` with n greater than 1, as that is written, as the default of an option, of a
  variable of the environment (not `OMP_NUM_THREADS`, which launchers set) or of a setting that nothing else
  in the project sets, as the greatest of several numbers (`max(2, n)`), or as the number of cores
  (`os.cpu_count()`);
- `sort`, `group_by`, `read_parquet` and a lazy table's `collect` of polars, where the parent uses polars too;
- scikit-learn's `KMeans` and `HistGradientBoosting...`, and faiss, where the parent uses them too and the
  program imports them before torch;
- a numba function with `parallel=True` where the program asks for the `omp` threading layer and the parent
  calls it too.

NumPy, SciPy, pandas, pyarrow, PIL, duckdb and tokenizers survive a fork and are never named here.

## Why is this bad

A forked worker has the state of the parent's thread pool and none of its threads. Measured, with a parent
that has used the library:

- `torch.set_num_threads(2)` in `worker_init_fn` or `__getitem__`: **hangs** in 5 of 5 runs each (DataLoader
  itself sets 1). A parent that ran no parallel operation, spawn and forkserver: fine.
- polars: **hangs** in 4 of 4 runs each.
- KMeans, HistGradientBoosting, faiss: **hang** in 3 of 3 runs when imported before torch, and are fine when
  torch is imported first.
- numba with `omp`: the worker is killed, `Terminating: fork() called from a process already using GNU OpenMP,
  this is unsafe.`

## Example

```python
def init_worker(worker_id):
    torch.set_num_threads(4)
```

Use instead nothing: a worker has one thread, and the loader has several workers. For polars start the workers
with forkserver, or set `POLARS_MAX_THREADS=1`:

```python
loader = DataLoader(dataset, num_workers=4, multiprocessing_context="forkserver")
```

## Level

- `error`, hang: worker code and the parent both run on the threads of polars, scikit-learn or faiss.
- `error`, error: numba's parallel functions under the omp layer: the worker is killed.
- `warning`, hang: `torch.set_num_threads(n)`, if the parent has run a parallel operation before.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Unsafe: the call of `torch.set_num_threads` goes from worker code, which then has the one thread that the
DataLoader gives it, and is as fast as that is; where it is all that a function does, it sets 1. A function
that the parent calls as well is left alone. The other libraries have no remedy: which of the cures fits is a
decision.

## References

- https://docs.pola.rs/user-guide/misc/multiprocessing/
- https://pytorch.org/docs/stable/notes/multiprocessing.html#avoid-cpu-oversubscription
- https://scikit-learn.org/stable/faq.html#why-do-i-sometimes-get-a-crash-freeze-with-n-jobs-1-under-osx-or-linux
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.evaluation.options.beside import BY_ENVIRONMENT
from dlint.evaluation.options.option import setting_of
from dlint.finding import Remedy
from dlint.fork.early.put_to_work import run_by_constructors
from dlint.fork.early.reads import item_read_in_parent
from dlint.fork.early.used import used_before
from dlint.fork.sides import calls_named, worker_functions
from dlint.fork.start_method import STARTS_ANEW
from dlint.fork.together import run_together
from dlint.fork.ways.surely import is_by_key, is_sure
from dlint.knowledge.processes.native_threads import (
    LIBRARIES,
    LIMITS,
    SET_BY_LAUNCHERS,
    TORCH,
    Library,
)
from dlint.program.asked import for_visit
from dlint.program.conditions import both, loaded
from dlint.program.cores import is_number_of_cores
from dlint.program.program import Program
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.source.module import Module
from dlint.source.statements import FunctionNode, parameters, statement_at, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.functions import function_body
from dlint.values.methods import is_cached
from dlint.values.places import spelled
from dlint.values.values import Const, External, Made, Unknown, Value
from dlint.workers.events import Event, Visit
from dlint.workers.repetition import is_once
from dlint.workers.uses import WorkerUse

# What has run on a library's threads is not undone.
# What the options that a program is started with are asked of.
_ASKED = ".parse_args()."
_GREATEST = "builtins.max"
_REMEDY = Remedy("leave_one_thread", "unsafe", "Leave the worker the one thread that it has")
_NEVER = regex(r"(?!)")
_OMP = regex(r"THREADING_LAYER\W{1,8}omp\b")


def check(program: Program) -> Iterator[Found]:
    """Native threads in worker code that forked workers do not have."""
    libraries = [each for each in LIBRARIES if program.modules.index.mentioning(each.package)]
    omp = any(_OMP.search(module.text) for module in program.modules.mentioning("THREADING_LAYER"))
    parent = _Parent(program)
    for use in program.uses:
        threads = [event for event in use.code.events if event.name == "torch.set_num_threads"]
        if not (threads or libraries or omp) or program.start_method_of(use) in STARTS_ANEW:
            continue
        for event in threads:
            if (
                isinstance(event.node, ast.Call)
                and event.node.args
                and _several(program, event, event.node.args[0])
            ):
                yield _torch(program, event, event.node, use)
        for library in libraries:
            for visit in use.code.visits:
                for call, point in _calls(program, visit.frame, library):
                    harmless = _torch_first(program, use, visit, library) or _is_limited(
                        program, use, library
                    )
                    if not harmless and parent.uses(library, use, once=_is_kept(point, call)):
                        yield _library(program, visit, call, library, use)
        if omp:
            yield from _numba(program, use, parent)


def _several(program: Program, event: Event, number: ast.expr) -> bool:
    """Whether a number of threads is surely more than one, as long as nobody asks for another."""
    number = spelled(number, event.point)
    if isinstance(number, ast.Call) and len(number.args) > 1 and not number.keywords:
        # The greatest of some numbers is no less than any of these.
        functions = program.evaluator.values(number.func, event.point, event.world)
        if all(isinstance(value, External) and value.name == _GREATEST for value, _ in functions):
            plain = [each for each in number.args if not isinstance(each, ast.Starred)]
            return any(_several(program, event, each) for each in plain)
    options = program.evaluator.options
    values = [
        (options.by_default(value, world) or value) if setting_of(value) is not None else value
        for value, world in program.evaluator.values(number, event.point, event.world)
    ]
    # What a user asks for in place of a default says nothing of that.
    known = [value for value in values if not (isinstance(value, External) and _ASKED in value.name)]
    return bool(known) and all(
        _is_above_one(_unasked(program, value)) or is_number_of_cores(value) for value in known
    )


def _unasked(program: Program, value: Value) -> Value | None:
    """What a value is where no environment variable says otherwise."""
    if isinstance(value, Const):
        return value
    asked = program.evaluator.options.unasked(value) if isinstance(value, Unknown) else None
    if asked is None or not asked.words.startswith(BY_ENVIRONMENT):
        return None
    return None if asked.words.removeprefix(BY_ENVIRONMENT) in SET_BY_LAUNCHERS else asked.default


def _is_above_one(value: Value | None) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int) and value.value > 1


def _torch(program: Program, event: Event, call: ast.Call, use: WorkerUse) -> Found:
    return Found(
        event.module,
        call,
        f"torch.set_num_threads({brief(call.args[0])}) in worker code: forked workers hang, "
        "without the parent's threads",
        "hang",
        "remove it: the DataLoader gives each worker one thread",
        both(loaded(program, use, event), "the parent has run a parallel operation of torch before"),
        event.reach(),
        remedy=_REMEDY,
    )


def _library(program: Program, visit: Visit, call: ast.Call, library: Library, use: WorkerUse) -> Found:
    name = ast.unparse(call.func)
    shown = f"{library.package}'s {call.func.attr if isinstance(call.func, ast.Attribute) else name}"
    order = " imported before torch" if library.after_torch else ""
    setting = f"{library.environment}=1"
    cure = "import torch first" if library.after_torch else f"use forkserver or {setting}"
    here = cure if library.after_torch else f"set {setting}"
    return Found(
        visit.function.module,
        call,
        f"{shown}(){order} runs in worker code and in the parent: forked workers hang, without its threads",
        "hang",
        cure,
        both(loaded(program, use), for_visit(program, visit, call)),
        visit.link.steps(name, visit.function.module, call),
        by_hand=f"{here}, or start the workers with spawn or forkserver",
    )


def _calls(program: Program, frame: Frame, library: Library) -> Iterator[tuple[ast.Call, Point]]:
    """The calls of a function that run on the library's threads."""
    relative, scope, index = frame.module.relative, frame.scope, program.modules.index
    if not isinstance(scope, FunctionNode | ast.Lambda) or not any(
        index.calls(relative, method) for method in library.methods
    ):
        return
    for node in function_body(scope):
        match node:
            case ast.Call(func=ast.Attribute(value=receiver, attr=method)) if method in library.methods:
                point = Point(frame, statement_at(scope, node))
                if _is_of(program, receiver, point, library):
                    yield node, point


def _is_kept(point: Point, call: ast.Call) -> bool:
    """Whether what a call gives is kept for good: one process calls it once, and none that inherits it."""
    scope = point.frame.scope
    if is_cached(scope):
        return not isinstance(scope, FunctionNode) or len(parameters(scope)) <= (
            point.frame.owner is not None
        )
    return is_once(call, point) and not is_by_key(point)


def _is_of(program: Program, receiver: ast.expr, point: Point, library: Library) -> bool:
    """Whether a receiver is an object that the library made, or the library itself."""
    for value, _ in program.evaluator.values(receiver, point):
        if isinstance(value, Made):
            if library.makers:
                return value.name in library.makers
            plan = any(value.name.startswith(name) for name in library.plans)
            return value.name.startswith(f"{library.package}.") and not plan
        if isinstance(value, External) and value.name == library.package:
            return True
    return False


class _Parent:
    """What the parent itself does with the libraries; read when first asked for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._worker: frozenset[int] | None = None
        self._known: dict[str, list[Point]] = {}
        self._early: dict[tuple[str, int], bool] = {}

    @property
    def worker(self) -> frozenset[int]:
        if self._worker is None:
            self._worker = worker_functions(self._program)
        return self._worker

    def uses(self, library: Library, use: WorkerUse, *, once: bool) -> bool:
        """Whether code outside workers runs on the library's threads, or the parent runs worker code that
        does; that has then made what is made ``once``, which workers inherit."""
        if self._runs_worker_code(library, use):
            return not once
        if library.package not in self._known:
            self._known[library.package] = [
                point
                for method in sorted(library.methods)
                for module, call, point in calls_named(self._program, method)
                if id(point.frame.scope) not in self.worker and self._is_use(call, point, library)
            ]
        return any(run_together(self._program, point, use) for point in self._known[library.package])

    def _runs_worker_code(self, library: Library, use: WorkerUse) -> bool:
        """Whether the parent reads an item before the workers start, or surely runs on the library's threads
        in a constructor, or in what it does with the dataset."""
        mark = (library.package, id(use))
        if mark not in self._early:
            self._early[mark] = item_read_in_parent(
                self._program, use, of_class=True
            ) is not None or self._comes_to(library, use)
        return self._early[mark]

    def _comes_to(self, library: Library, use: WorkerUse) -> bool:
        if any(self._surely_calls(frame, library) for frame in run_by_constructors(self._program, use)):
            return True
        names = {
            getattr(visit.function.node, "name", "")
            for visit in use.code.visits
            if any(True for _ in _calls(self._program, visit.frame, library))
        }
        return any(
            self._surely_calls(frame, library)
            for used in used_before(self._program, use, names - {""}, _NEVER)
            for frame in used.run
        )

    def _surely_calls(self, frame: Frame, library: Library) -> bool:
        return any(
            is_sure(self._program.evaluator, point) for _, point in _calls(self._program, frame, library)
        )

    def _is_use(self, call: ast.Call, point: Point, library: Library) -> bool:
        return isinstance(call.func, ast.Attribute) and _is_of(self._program, call.func.value, point, library)


def _is_limited(program: Program, use: WorkerUse, library: Library) -> bool:
    """Whether the program gives the library a single thread."""
    if use.loader is not None:
        for own in program.uses_of(use.loader):
            if any(event.name in LIMITS for event in own.code.events):
                return True
    for module in use.modules:
        for relative in program.boundaries.imports(module.relative):
            if library.environment.encode() in program.modules.index.data(relative):
                return True
    return False


def _torch_first(program: Program, use: WorkerUse, visit: Visit, library: Library) -> bool:
    """Whether every program that builds the loader imports torch before the library."""
    if not library.after_torch:
        return False
    starts = {visit.function.module.relative: visit.function.module}
    if use.loader is not None:
        ways = program.boundaries.ways_to(use.loader.point)
        starts = {way.module.relative: way.module for way in ways} or starts
    return all(
        _first(program, module, library.package, set()) != library.package for module in starts.values()
    )


def _first(program: Program, module: Module, package: str, seen: set[str]) -> str | None:
    """Which of torch and a package running a module's body imports first."""
    seen.add(module.relative)
    imports = program.modules.imports
    for statement in statements_in(module.tree.body):
        names: list[str] = []
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            names = [f"{'.' * statement.level}{statement.module or ''}"]
        for name in names:
            top = name.partition(".")[0]
            if top == package:
                return package
            if top in TORCH:
                return "torch"
            place = (
                imports.relative(statement.level, statement.module, module.relative)
                if isinstance(statement, ast.ImportFrom) and statement.level
                else imports.absolute(name, module.relative)
            )
            other = program.modules.get(place) if place is not None and place.endswith(".py") else None
            if other is not None and other.relative not in seen:
                found = _first(program, other, package, seen)
                if found is not None:
                    return found
    return None


def _numba(program: Program, use: WorkerUse, parent: _Parent) -> Iterator[Found]:
    """Parallel numba functions that workers and the parent call, under the omp layer."""
    for visit in use.code.visits:
        node = visit.function.node
        if isinstance(node, ast.Lambda) or not any(map(_is_parallel, node.decorator_list)):
            continue
        sites = program.evaluator.sites.of(node, visit.frame)
        if any(id(site.point.frame.scope) not in parent.worker for site in sites):
            yield Found(
                visit.function.module,
                node,
                f"numba's parallel {node.name} runs in worker code and in the parent: forked "
                "workers are killed",
                "error",
                "use the workqueue layer: omp ends a process that was forked after it ran",
                loaded(program, use),
                visit.link.steps(node.name, visit.function.module, node),
                by_hand="set numba.config.THREADING_LAYER to 'workqueue', or use forkserver",
            )


def _is_parallel(decorator: ast.expr) -> bool:
    match decorator:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), keywords=keywords):
            return name in ("njit", "jit") and any(
                each.arg == "parallel" and isinstance(each.value, ast.Constant) and each.value.value is True
                for each in keywords
            )
    return False
