"""Worker code calls cv2 while OpenCV's own threads are on.

## What it finds

A call of `cv2` in worker code (`__getitem__`, `collate_fn`, `worker_init_fn`, transforms, and whatever
these reach in any file) for a loader with workers, where nothing that the program runs turns OpenCV's
threads off. One finding a file, at the first such call. Two more hazards have messages of their own:
`cv2.setNumThreads(n)` with n other than 0 in worker code, and `cv2.UMat` in worker code without
`cv2.ocl.setUseOpenCL(False)`. The first is not reported where there is no pool to shrink: in workers that are
spawned, and where the threads are turned off at import already.

## Why is this bad

OpenCV keeps a pool of threads. A forked worker inherits the pool's locks and counters but none of its
threads. What was measured:

- OpenMP builds of OpenCV (as conda ships): the worker **hangs** in 5 of 5 runs with images from about
  512 pixels, also when the parent only ran a parallel torch operation.
- opencv-python 3.4.0.14 and older wheels: hung in 10 of 10 runs.
- Today's wheels (3.4.1 to 5.0, pthreads): no hang without a call of `setNumThreads`, but every worker
  starts a pool of its own: 18 threads instead of 3 with a pool of 16, times the number of workers.
- Today's wheels with `cv2.setNumThreads(1)` (or any number that shrinks the inherited pool) in
  `worker_init_fn` or `__getitem__`, once the parent has used cv2: **hangs** in 10 of 10 runs.
  `setNumThreads(0)` never hung anywhere.
- `cv2.UMat` in worker code after the parent used OpenCL: **hangs** in every run (4.14 and 5.0 with pocl);
  `setNumThreads(0)` does not cure that, `cv2.ocl.setUseOpenCL(False)` does.

## Example

```python
import cv2

class Photos(Dataset):
    def __getitem__(self, index):
        return cv2.imread(self.paths[index])
```

Use instead:

```python
import cv2

cv2.setNumThreads(0)  # no OpenCV threads in DataLoader workers

class Photos(Dataset):
    def __getitem__(self, index):
        return cv2.imread(self.paths[index])
```

## Protection

`cv2.setNumThreads(0)` counts where it runs: at import of a module that the dataset's program imports, in
worker code, in the dataset's `__init__`, or in a function or main guard on the way to the loader. The last
protects forked workers only: spawned ones and those of a forkserver do not run it. Nor do the ranks that
`mp.spawn` starts: what `main()` calls before is not set in them (measured). `setNumThreads(1)` at import or
in the parent counts as well (measured: an OpenMP build ran through in 6 of 6 runs, wheels started no thread
in the workers), and so does a number that comes from settings or the command line. A script that
finds modules by name (`importlib`, Hydra) counts for loaders that no other script imports.
`cv2.ocl.setUseOpenCL(False)` alone does not turn the threads off. What a call with a number greater than 1
takes back in the main process, always and after all of these, is no protection for forked workers.

## Level

- `warning`, hang: worker code calls what starts OpenCV's pool, if OpenCV was built with OpenMP, as conda's
  is.
- `warning`, hang: `cv2.setNumThreads(n)` in worker code, if the main process has used OpenCV before;
  `cv2.UMat` in worker code, if it has used OpenCL before.
- `note`, cost: the calls start no thread (`imread`, `flip`, drawing: measured), the workers are not forked,
  or another file of the program has the same hazard already: one line there cures both.

## Fix safety

Safe: one line after the import of cv2 changes no result, only how many threads OpenCV uses, in the main
process as well. Where several files call cv2 for the workers, it goes into the module that most of them
import, and into no other. `setNumThreads(n)` in worker code becomes `setNumThreads(0)`;
`cv2.ocl.setUseOpenCL(False)` is written only where worker code uses `cv2.UMat`. Left to
you: a program whose main process turns the threads on again (`cv2.setNumThreads(8)`, also where the function
that does is only handed on), as only its author knows whether main needs them.

## References

- https://docs.opencv.org/4.x/db/de0/group__core__utils.html
- https://github.com/opencv/opencv/issues/5150
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlint.finding import Effect as What
from dlint.finding import Finding, Remedy
from dlint.fork.protection import Effect, Protections, Shelter
from dlint.fork.start_method import STARTS_ANEW, surely_starts_anew
from dlint.knowledge.processes.opencv import NO_THREADS
from dlint.program.asked import for_events
from dlint.program.conditions import both, loaded
from dlint.program.program import Program
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.rules.wording import brief, listed, place
from dlint.source.module import Module
from dlint.values.values import Const
from dlint.workers.events import Event
from dlint.workers.sharing import codes_of, nearest
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

ONCE_PER_FILE = True

# What only sets or tells something; no image goes through it.
_SETTINGS = regex(
    r"cv2\.((set|get)NumThreads|setUseOptimized|useOptimized|setRNGSeed|getBuildInformation|getTickCount"
    r"|getTickFrequency|VideoWriter_fourcc|VideoWriter\.fourcc|error|setLogLevel|getLogLevel"
    r"|(__version__|utils\.logging|ocl)\..*)"
)
_NO_OWN = "of which it starts none itself"
_OPENMP = "OpenCV was built with OpenMP, as conda's is"
_REMEDY = Remedy(
    "cv2_threads_off", "safe", "Turn OpenCV's threads off after the imports", {"kind": "threads"}
)


def check(program: Program) -> Iterator[Found]:
    """Worker code that calls cv2 without protection, shrinks its pool, or uses OpenCL."""
    if not program.modules.index.mentioning("cv2"):
        return
    # One thread that the parent sets is no pool either; a number from the settings is the user's decision.
    threads = program.protections("cv2.setNumThreads", 0, 1, unknown=True)
    opencl = program.protections("cv2.ocl.setUseOpenCL", False, unknown=True)
    off = program.protections("cv2.setNumThreads", 0)
    known = {id(code): _Code(code, off) for code in codes_of(program.uses)}
    counted_at: set[int] = set()
    for use in program.uses:
        counts = known[id(use.code)].counts
        # Without threads before, and in workers that are not forked, there is no pool to shrink.
        if not counts or program.start_method_of(use) in STARTS_ANEW:
            continue
        for event in counts:
            if id(event) in counted_at or _is_set_before(threads, use, event):
                continue
            counted_at.add(id(event))
            yield from _thread_count(program, event, use)
    told: set[tuple[int, Shelter | None, Effect | None, bool, str | None]] = set()
    for use in program.uses:
        code = known[id(use.code)]
        # Where a worker sets another number of threads, that call is what to mend.
        counted = code.counts or (use.beside is not None and known[id(use.beside)].counts)
        shelters: dict[tuple[str, bool], tuple[Shelter | None, Effect | None]] = {}
        forks = program.start_method_of(use) not in STARTS_ANEW
        condition = loaded(program, use) if code.calls else None
        files = tuple(sorted({event.module.relative for event in code.calls}))
        # Where all only cost something, a call that starts the threads says more than others of its file.
        starting = {event.module.relative for event in code.calls if event.name not in NO_THREADS}
        starting = starting if starting and surely_starts_anew(program, use) else set()
        for event in code.calls:
            umat = event.name == "cv2.UMat"
            if counted and not umat:
                continue
            if event.name in NO_THREADS and event.module.relative in starting:
                continue
            where = (event.module.relative, umat)
            if where not in shelters:
                modules = (*use.modules, event.module)
                taken = threads.taken_back(use, modules) if forks and not umat else None
                shelters[where] = (opencl if umat else threads).shelter(use, modules), taken
            # Many uses have the same code, and are sheltered by the same call.
            shelter, taken = shelters[where]
            mark = (id(event), shelter, taken, forks, condition)
            if mark not in told:
                told.add(mark)
                asked = both(condition, for_events(program, use.code, event))
                if umat:
                    yield from _umat(event, shelter, asked)
                elif taken is not None:
                    yield _taken_back(event, taken, asked)._replace(together=files)
                else:
                    loose = threads.unfollowed(use, (*use.modules, event.module)) if forks else None
                    for found in _cv2_call(program, use, event, shelter, loose, asked):
                        yield found._replace(together=files)


def together(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Findings in files that call cv2 for the same workers, the worst first: the first that starts threads,
    if one does, says what happens and names the other places, and those name it."""
    first = next((each for each in findings if _NO_OWN not in each.message), findings[0])
    others = [finding for finding in findings if finding.path != first.path]
    also = listed([_place(other) for other in sorted(others, key=lambda other: other.sort_key)])
    for other in findings:
        if other is first:
            yield first._replace(message=f"{first.message}: that covers {also}, too") if others else first
            continue
        name, there = other.reach[-1].name, _place(first)
        message = (
            f"{name}() runs in worker code with OpenCV's threads on, as in {there}; one cv2.setNumThreads(0) "
            "covers both"
        )
        yield other._replace(message=message, effect="cost", condition=None)


def _place(finding: Finding) -> str:
    return f"{finding.path}:{finding.line}"


class _Code:
    """What a worker code calls of cv2: ``counts`` set a number of threads other than 0, of the other
    ``calls`` only the nearest at each place are kept."""

    def __init__(self, code: WorkerCode, off: Protections) -> None:
        events = [event for event in code.events if event.owner is None and event.name.startswith("cv2.")]
        self.counts = [
            event
            for event in events
            if event.name == "cv2.setNumThreads" and not off.is_call(_call(event), event.point)
        ]
        self.calls = nearest(event for event in events if not _SETTINGS.fullmatch(event.name))


def _is_set_before(threads: Protections, use: WorkerUse, event: Event) -> bool:
    modules = (*use.modules, event.module)
    shelter = threads.shelter(use, modules)
    at_import = shelter is not None and shelter.effect.kind == "import"
    return at_import and threads.taken_back(use, modules) is None


def _call(event: Event) -> ast.Call:
    assert isinstance(event.node, ast.Call)
    return event.node


def _cv2_call(
    program: Program,
    use: WorkerUse,
    event: Event,
    shelter: Shelter | None,
    loose: tuple[Module, ast.expr] | None,
    condition: str | None,
) -> Iterator[Found]:
    method = program.start_method_of(use)
    lost = shelter.effect if shelter is not None and shelter.lost else None
    shelter = shelter if lost is None else None
    if shelter is not None and (shelter.spawned or program.start_method not in STARTS_ANEW):
        return
    effect: What = "cost"
    why = f"{event.name}() runs in worker code with OpenCV's threads on"
    what = f"{why}: every worker starts a thread pool"
    cure = "call cv2.setNumThreads(0) after importing cv2"
    if lost is not None:
        cure += f": the process that makes the loader is spawned, and does not run {_told(lost)}"
    if shelter is not None:
        what = f"{event.name}() runs in {method} workers, which do not run {_told(shelter.effect)}"
    elif event.name in NO_THREADS:
        what = f"{why}, {_NO_OWN}"
    elif not surely_starts_anew(program, use):
        effect, what, condition = "hang", f"{why}: forked workers hang", both(condition, _OPENMP)
    yield Found(
        event.module,
        _call(event),
        what,
        effect,
        cure,
        condition,
        event.reach(),
        _REMEDY if loose is None else None,
        by_hand=None
        if loose is None
        else f"{brief(loose[1])} at {place(*loose)} may turn them on again: call "
        "cv2.setNumThreads(0) after importing cv2, and see that nothing takes it back",
    )


def _told(effect: Effect) -> str:
    """A call that sets something, with its place."""
    return f"{brief(effect.call)} at {place(effect.module, effect.call)}"


def _taken_back(event: Event, taken: Effect, condition: str | None) -> Found:
    return Found(
        event.module,
        _call(event),
        f"{event.name}() runs in worker code and {_told(taken)} turns OpenCV's threads on: "
        "forked workers hang",
        "hang",
        "pass 0 there, or call cv2.setNumThreads(0) in the loader's worker_init_fn",
        both(condition, _OPENMP),
        event.reach(),
    )


def _thread_count(program: Program, event: Event, use: WorkerUse) -> Iterator[Found]:
    call = _call(event)
    values = program.evaluator.values(call.args[0], event.point) if call.args else []
    if not any(isinstance(value, Const) for value, _ in values):
        return
    yield Found(
        event.module,
        call,
        f"cv2.setNumThreads({brief(call.args[0])}) in worker code shrinks a pool that the "
        "worker does not have: it hangs",
        "hang",
        "use 0, which never hangs",
        both(loaded(program, use, event), "the main process has used OpenCV before"),
        event.reach(),
        Remedy("cv2_threads_off", "safe", "Use 0 instead", {"kind": "thread-count"}),
        kind="thread-count",
    )


def _umat(event: Event, shelter: Shelter | None, condition: str | None) -> Iterator[Found]:
    if shelter is not None and not shelter.lost:
        return
    yield Found(
        event.module,
        _call(event),
        "cv2.UMat runs OpenCL in worker code: forked workers hang",
        "hang",
        "call cv2.ocl.setUseOpenCL(False) right after importing cv2",
        both(condition, "the main process has used OpenCL before"),
        event.reach(),
        Remedy("cv2_threads_off", "safe", "Turn OpenCL off after the imports", {"kind": "umat"}),
        kind="umat",
    )
