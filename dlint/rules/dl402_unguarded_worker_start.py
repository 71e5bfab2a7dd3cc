"""A script starts workers outside `if __name__ == "__main__":`.

## What it finds

A loader with workers that is iterated while a module's own body runs: in the body itself, or in a function
that the body calls, also through a command line's library (`fire.Fire(run)`, `tyro.cli`, `typer.run`,
absl's `app.run`); by itself, through an object whose `__iter__` goes over it, or by Lightning's
`trainer.fit(model, loader)`. The finding stands where the workers start, at the first place for each call of
the body; the reach shows the way from there.

Building a loader in the body starts nothing and is not reported. Fine are code under the main guard, also
behind a variable that holds its test, in `test and main()`, or as `current_process().name == "MainProcess"`
(not `parent_process() is None`, which is true in a worker that imports the script as well); a `__main__.py`,
which workers do not import; functions that the body does not call; generators and coroutines that it makes
and does not run; notebooks; and loaders whose workers are forked because the project says so
(`multiprocessing_context="fork"`, `set_start_method("fork")`, option `start-method`).

## Why is this bad

A worker that is started by spawn or by a fork server first imports the script again, and comes to the same
loop. As measured: `RuntimeError: An attempt has been made to start a new process before the current process
has finished its bootstrapping phase.` Under fork it works. Spawn is the default on macOS and Windows,
forkserver on Linux from Python 3.14 on.

## Example

```python
loader = DataLoader(dataset, num_workers=4)

for batch in loader:
    train(batch)
```

Use instead:

```python
def main():
    loader = DataLoader(dataset, num_workers=4)
    for batch in loader:
        train(batch)


if __name__ == "__main__":
    main()
```

## Fix safety

Unsafe: the script's body moves into `main()` behind the guard, so whoever imports the script for its names
no longer finds them.

## References

- https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods
- https://pytorch.org/docs/stable/notes/windows.html#multiprocessing-error-without-if-clause-protection
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.callbacks import RUNNER_WORDS, RUNNERS
from dlint.module.source import Module
from dlint.program.boundaries import is_main_module
from dlint.program.iteration import Iteration, Iterations
from dlint.program.loaders import Loader
from dlint.program.program import Program
from dlint.rules.rule import Found

_NOTEBOOK = re.compile(r"^#\s?(%%|In\s?\[)|get_ipython\(", re.MULTILINE)
# What a body that no guard holds looks like where a library's command line is called.
_RUNS = re.compile(
    rb"^(?:\w+\s*=\s*)?(?:\w+\.)*(?:%s)\("
    % b"|".join(sorted({name.rpartition(".")[2].encode() for name in RUNNERS})),
    re.MULTILINE,
)


def check(program: Program) -> Iterator[Found]:
    """Iterations over loaders with workers that a module's body comes to."""
    known = {id(loader.call): loader for loader in program.loaders}
    iterations: Iterations | None = None
    for module in _bodies(program):
        if _NOTEBOOK.search(module.text):
            continue
        if iterations is None:
            iterations = Iterations(program)
        told: set[int] = set()
        for iteration in iterations.from_body(module):
            loader = known.get(id(iteration.loader.call))
            if loader is None or not iteration.loader.may_have_workers or _forks(program, loader):
                continue
            # A call that comes to several loops needs one guard.
            top = id(iteration.calls[0][2] if iteration.calls else iteration.node)
            if top not in told:
                told.add(top)
                yield _found(iteration, module)


def _bodies(program: Program) -> Iterator[Module]:
    """The modules whose own body builds a loader with workers, those that import one of them by name, and
    those that may have a library's command line call the function that does."""
    seen: set[str] = set()
    loaders = [loader for loader in program.loaders if loader.may_have_workers and not loader.inherited]
    for loader in loaders:
        for way in program.boundaries.ways_to(loader.point):
            if way.whole and not way.guarded and way.module.relative not in seen:
                seen.add(way.module.relative)
                yield way.module
                for relative in program.boundaries.importers(way.module.relative):
                    other = program.modules.get(relative)
                    if other is not None and relative not in seen and not is_main_module(other):
                        seen.add(relative)
                        yield other
    index = program.modules.index
    for word in RUNNER_WORDS if loaders else ():
        for relative in index.naming(word):
            module = program.modules.get(relative) if _RUNS.search(index.data(relative)) else None
            if module is not None and relative not in seen and not is_main_module(module):
                seen.add(relative)
                yield module


def _forks(program: Program, loader: Loader) -> bool:
    uses = program.uses_of(loader)
    return not uses or program.start_method_of(uses[0]) == "fork"


def _found(iteration: Iteration, body: Module) -> Found:
    top = iteration.calls[0][2] if iteration.calls else iteration.node
    where = f"{body.relative}:{getattr(top, 'lineno', 1)}"
    how = "in the body of the module" if not iteration.calls else f"called by the module's body at {where}"
    remedy = None
    if iteration.module is body:
        data = {"line": getattr(top, "lineno", 1)} if iteration.calls else {}
        remedy = Remedy(
            "guard_main", "unsafe", 'Move the script\'s body behind if __name__ == "__main__":', data
        )
    return Found(
        iteration.module,
        iteration.node,
        f'workers start here, {how}, outside if __name__ == "__main__": spawned ones (macOS, Windows, '
        'Python 3.14 on Linux) import the script again: "RuntimeError: An attempt has been made to start a '
        'new process"; guard it',
        iteration.steps if iteration.calls else (),
        remedy,
        None if remedy else f'put what starts the workers at {where} under if __name__ == "__main__":',
    )
