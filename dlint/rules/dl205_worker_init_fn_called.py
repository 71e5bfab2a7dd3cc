"""What is passed as worker_init_fn is the result of the function, not the function.

## What it finds

`worker_init_fn=f(...)` where `f` is a seeding call of a library, or a function of the project that returns
nothing; also where the result gets to the loader by a variable, an attribute, a dict of options
(`options["worker_init_fn"] = f(...)`) or keywords that a function or a loader class hands on (`**kwargs`),
and the loader surely gets nothing else. Factories, `functools.partial` and objects that can be called are
fine. Also a function that cannot be called with exactly one argument, the worker's number, be it beside
those that `functools.partial` gives it (`partial(seed_worker, 3)` of `def seed_worker(seed)`).

## Why is this bad

- `np.random.seed(0)`, `random.seed(0)` and functions without `return` give None, so the loader has no
  `worker_init_fn`: the call runs once, in the training process, and nothing says so.
- `torch.manual_seed(0)` gives a generator: `TypeError: 'torch._C.Generator' object is not callable` in the
  worker.
- A function of no or of two parameters: TypeError in the worker.

## Example

```python
loader = DataLoader(dataset, num_workers=4, worker_init_fn=seed_worker(0))
```

Use instead:

```python
loader = DataLoader(dataset, num_workers=4, worker_init_fn=seed_worker)
```

## Level

- `error`, silent: the call gives None, so that no worker runs anything.
- `error`, error: the call gives what workers cannot call, or the function takes another number of
  arguments.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Unsafe: workers do then what they did not do before, and the training process no longer does it. A function
that takes the worker's number is passed as it is. What only seeds (a library's call, or a function that takes
a seed or nothing) gives way to the project's function that seeds NumPy from `torch.initial_seed()`, or to a
`seed_worker` that is written for it; torch seeds `random` and itself in every worker. The training process is
seeded as before: the call stays in a line of its own before that, unless the program makes it elsewhere too.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
- https://pytorch.org/docs/stable/notes/randomness.html#dataloader
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Effect, Remedy
from dlint.loaders.loaders import Loader
from dlint.program.called_init import Called, called_init
from dlint.program.conditions import with_workers
from dlint.program.program import Program
from dlint.randomness.init_functions import Hindrance, hindrance, with_arguments
from dlint.rules.rule import Found
from dlint.rules.wording import brief, listed
from dlint.values.values import Function, Partial

_ARGUMENT = "worker_init_fn"
_ONE = "give the worker_init_fn exactly one parameter"


def check(program: Program) -> Iterator[Found]:
    """Loaders that get a result, or a function that workers cannot call."""
    for loader in program.loaders:
        written = loader.written(_ARGUMENT)
        if written is None and not loader.may_get(_ARGUMENT):
            continue
        called = called_init(program, loader)
        if called is not None:
            yield _called(program, loader, called)
        else:
            # One in a dict of options stands elsewhere: the call that hands it on shows which loader it is.
            yield from _uncallable(program, loader, written or loader.call)


def _called(program: Program, loader: Loader, called: Called) -> Found:
    effect: Effect
    if called.gives == "None":
        happens, effect = "the loader gets None, no worker runs it", "silent"
    else:
        happens, effect = f"workers cannot call {called.gives} (TypeError)", "error"
    return Found(
        called.point.frame.module,
        called.call,
        f"{_ARGUMENT}={brief(called.call, 32)} is called in the parent: {happens}",
        effect,
        "pass a function that takes the worker's number",
        with_workers(program, loader),
        remedy=Remedy("pass_function", "unsafe", "Pass the function instead of calling it"),
    )


def _uncallable(program: Program, loader: Loader, written: ast.expr) -> Iterator[Found]:
    values = loader.values(_ARGUMENT)
    if not loader.may_have_workers or not values:
        return
    names: set[str] = set()
    cures: dict[str, None] = {}
    is_partial = False
    for value in values:
        called, given = with_arguments(value) if value is not None else (None, None)
        hinders = hindrance(called, given) if isinstance(called, Function) else None
        if hinders is None:
            return
        assert isinstance(called, Function)
        names.add(getattr(called.node, "name", "the lambda"))
        cures[_cure(hinders) if isinstance(value, Partial) else "give it exactly one parameter"] = None
        is_partial = is_partial or isinstance(value, Partial)
    behind = " beside what the partial gives it" if is_partial else ""
    cure = ", and ".join(cures)
    yield Found(
        loader.module,
        written,
        f"workers call worker_init_fn with their number, and {listed(sorted(names))} cannot "
        f"take one{behind}: TypeError",
        "error",
        cure,
        with_workers(program, loader),
        by_hand=cure if is_partial else f"{_ONE}, the worker's number",
    )


def _cure(hinders: Hindrance) -> str:
    """What to do where a partial and the worker's number do not go together."""
    if hinders.twice:
        return "have the first parameter that the partial leaves free take the worker's number"
    if hinders.unknown:
        return f"leave {listed(list(hinders.unknown))} out of the partial"
    if hinders.missing:
        return f"give {listed(list(hinders.missing))} in the partial"
    return "give it one parameter more, that takes the worker's number behind what the partial gives"
