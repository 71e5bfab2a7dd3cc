"""Set-up that only the main process runs, while workers are spawned.

## What it finds

`cv2.setNumThreads`, `cv2.ocl.setUseOpenCL`, `torch.set_default_dtype` (or `_tensor_type`) and
`torch.multiprocessing.set_sharing_strategy` called only in `main()` or under the main guard, for a loader
whose workers are started by spawn or forkserver: by `multiprocessing_context`, which may be an option's
default, by the project's `set_start_method`, in one script of several, or by dlint's option `start-method`.
Only where it matters to the worker code: OpenCV's threads where it calls cv2, OpenCL where it makes a
`cv2.UMat`, the default dtype where it makes tensors of floats without a `dtype` (`torch.tensor(x)` does where
`x` is seen to be, or to hold, Python's floats). A call that sets what each
process has anyway (`torch.float32`) is left alone.

The finding stands at the set-up call. Where the option `start-method` says spawn or forkserver,
`cv2.setNumThreads(0)` is left to DL101, which reports the same and has a remedy.

Not reported, because it was measured to reach spawned workers: seeds of torch, NumPy and random (the loader
seeds its workers from the parent's state) and `os.environ`.

## Why is this bad

A forked worker inherits what main has set up. One started by spawn or by a fork server (Linux from Python
3.14 on) imports the modules again and does not run `main()`: the workers do not have it. OpenCV starts its
threads in each of them, tensors are float32 again, tensors are shared by file descriptors again.

## Example

```python
def main():
    multiprocessing.set_start_method("spawn")
    cv2.setNumThreads(0)
    loader = DataLoader(Photos(), num_workers=4)
```

Use instead: at module level, after the import, which each worker runs too

```python
import cv2

cv2.setNumThreads(0)
```

or in a `worker_init_fn`.

## Level

- `error`, silent: the default type of tensors.
- `note`, cost: OpenCV's threads, OpenCL, the way tensors are shared.

## Fix safety

No remedy: whether the call belongs to the module or to `worker_init_fn` is for the author to say.

## References

- https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods
- https://pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.fork.protection import Effect
from dlint.fork.start_method import STARTS_ANEW, scripts_that_start_anew, surely_starts_anew
from dlint.knowledge.processes.setups import GIVEN_TYPE, SETUPS, Setup
from dlint.program.conditions import with_workers
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.values.values import Const, External
from dlint.workers.events import Event
from dlint.workers.uses import WorkerUse


def check(program: Program) -> Iterator[Found]:
    """Set-up calls that spawned workers of some loader do not run."""
    written: dict[str, set[object]] = {}
    # By loader, and by the script where another one starts the workers otherwise.
    uses: dict[tuple[int, str | None, str | None], list[WorkerUse]] = {}
    for use in program.uses:
        if use.loader is not None and surely_starts_anew(program, use):
            uses.setdefault((id(use.loader), None, program.start_method_of(use)), []).append(use)
        elif use.loader is not None:
            for each, anew in scripts_that_start_anew(program, use).items():
                uses.setdefault((id(use.loader), each, anew), []).append(use)
    for (_, script, method), together in uses.items():
        events = [event for use in together for event in use.code.events]
        names = {event.name for event in events}
        for setup in SETUPS:
            if setup.name in names or (
                setup.concerns and not any(_concerns(program, setup, event) for event in events)
            ):
                continue
            if setup.name not in written:
                written[setup.name] = set(_values(program, setup.name))
            for value in sorted(written[setup.name], key=repr):
                if value in setup.nothing:
                    continue
                if setup.name == "cv2.setNumThreads" and value == 0 and program.start_method in STARTS_ANEW:
                    continue
                yield from _found(program, together, setup, value, script, method)


def _concerns(program: Program, setup: Setup, event: Event) -> bool:
    given = event.node.keywords if isinstance(event.node, ast.Call) else []
    return (
        any(
            event.name.startswith(name) if name.endswith(".") else event.name == name
            for name in setup.concerns
        )
        and all(keyword.arg != "dtype" for keyword in given)
        and (event.name not in GIVEN_TYPE or _is_given_floats(program, event))
    )


def _is_given_floats(program: Program, event: Event) -> bool:
    """Whether a call that makes a tensor of the type of what it is given is seen to get floats of Python's:
    integers stay such, and arrays keep a type of their own."""
    at, name = GIVEN_TYPE[event.name]
    if not isinstance(event.node, ast.Call):
        return False
    given = [keyword.value for keyword in event.node.keywords if keyword.arg == name]
    waiting = given or event.node.args[at : at + 1]
    for node in waiting:  # grows meanwhile
        match node:
            case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Call(func=ast.Name(id="float")):
                return True
            case ast.List(elts=held) | ast.Tuple(elts=held):
                waiting += held
            case ast.ListComp(elt=held):
                waiting.append(held)
            case _:
                values = program.evaluator.values(node, event.point, event.world)
                if any(isinstance(value, Const) and isinstance(value.value, float) for value, _ in values):
                    return True
    return False


def _values(program: Program, name: str) -> Iterator[object]:
    """What the program's calls of a name pass, as protections know it."""
    evaluator = program.evaluator
    word = name.rpartition(".")[2]
    for module in program.modules.naming(word):
        for trail in module.paths_to(word):
            call = trail[-2] if len(trail) > 1 else None
            if not isinstance(call, ast.Call) or call.func is not trail[-1] or not call.args:
                continue
            evaluator.start()
            point = evaluator.sites.point_of(module, trail)
            callees = evaluator.values(call.func, point)
            if any(isinstance(callee, External) and callee.name == name for callee, _ in callees):
                for value, _ in evaluator.values(call.args[0], point):
                    if isinstance(value, Const):
                        yield value.value
                    elif isinstance(value, External):
                        yield value.name


def _found(
    program: Program,
    uses: list[WorkerUse],
    setup: Setup,
    value: object,
    script: str | None,
    method: str | None,
) -> Iterator[Found]:
    """The finding for one set-up and one loader, where the parent runs it, in one ``script`` or in all, and
    the workers, started by a method, do not."""
    effect: Effect | None = None
    for use in uses:
        modules = (*use.modules, *(event.module for event in use.code.events))
        shelter = program.protections(setup.name, value).shelter(use, modules, script)
        if shelter is not None and shelter.spawned:
            return
        if shelter is not None:
            effect = shelter.effect
    if effect is None:
        return
    loader = uses[0].loader
    assert loader is not None
    where = f"{loader.module.relative}:{loader.call.lineno}"
    yield Found(
        effect.module,
        effect.call,
        f"{setup.name.rpartition('.')[2]}({brief(effect.call.args[0], 24)}) runs in the "
        f"parent, not in {method} workers: {setup.missing}",
        setup.effect,
        f"call it at module level or in a worker_init_fn as well (loader at {where})",
        with_workers(program, loader),
    )
