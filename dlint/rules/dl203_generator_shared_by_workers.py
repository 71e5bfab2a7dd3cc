"""A generator made before the workers start is drawn from in worker code.

## What it finds

`np.random.default_rng(...)`, `RandomState`, `random.Random` or `torch.Generator` kept on the dataset (or a
transform, or at module level) and drawn from in worker code. A generator made inside the function that
draws from it is fine, and so is one that only samplers use: they run in the parent.

## Why is this bad

Every worker gets a copy of the generator with the same state, and every epoch starts new workers. Nothing
seeds it again: torch does that for the global states only. Measured on any torch: workers identical and
every epoch identical, 4 distinct values of 24; with persistent workers 12 of 24. A `torch.Generator`
attribute under spawn or forkserver ends the worker with a RuntimeError.

Making it lazily (`if self.rng is None:`) does not help once the parent has read an item: 4 of 24 again.

## Example

```python
class Noisy(Dataset):
    def __init__(self, images):
        self.images = images
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return self.images[index] + self.rng.standard_normal(3)
```

Use instead a generator for each process, made in the worker from its own seed:

```python
    def __getitem__(self, index):
        if self._rng_pid != os.getpid():
            self._rng_pid = os.getpid()
            self._rng = np.random.default_rng(torch.initial_seed() % 2**32)
        return self.images[index] + self._rng.standard_normal(3)
```

## Fix safety

Unsafe: the numbers change.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info
- https://numpy.org/doc/stable/reference/random/parallel.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.randomness import GENERATORS, draws_from_generator
from dlint.module.source import Module
from dlint.program.program import Program
from dlint.program.uses import WorkerUse
from dlint.program.values import Made
from dlint.program.worker import Event
from dlint.rules.rule import Found


def check(program: Program) -> Iterator[Found]:
    """Generators that worker code draws from and that the workers did not make."""
    for use in program.uses:
        for event in use.code.events:
            for made in _generators(program, event):
                if draws_from_generator(event.name.rpartition(".")[2]) and _made_before(use, made):
                    yield _found(event, made)


def _generators(program: Program, event: Event) -> list[Made]:
    """The generator objects that a call draws from: its receiver, or what it is handed as ``generator``."""
    found = []
    if event.owner is not None and event.owner.name in GENERATORS:
        found.append(event.owner)
    if isinstance(event.node, ast.Call) and event.owner is None:
        for keyword in event.node.keywords:
            if keyword.arg in ("generator", "rng", "random_state"):
                for value, _ in program.evaluator.values(keyword.value, event.point, event.world):
                    if isinstance(value, Made) and value.name in GENERATORS:
                        found.append(value)
    return found


def _made_before(use: WorkerUse, made: Made) -> bool:
    """Whether a generator is made in the parent: in an initialiser of the dataset or at import."""
    scope = made.point.frame.scope
    if isinstance(scope, ast.Module | ast.ClassDef):
        return True
    worker = {id(visit.function.node) for visit in use.code.visits}
    return id(scope) not in worker


def _found(event: Event, made: Made) -> Found:
    module: Module = made.point.frame.module
    assert isinstance(made.node, ast.expr)
    where = f"{event.module.relative}:{getattr(event.node, 'lineno', 1)}"
    return Found(
        module,
        made.node,
        f"{GENERATORS[made.name]} is made before the workers start and drawn from in worker code ({where}): every "
        "worker and every epoch draws the same numbers (4 distinct values of 24 on any torch); make it in the "
        "worker, from torch.initial_seed()",
        event.link.steps(event.name, event.module, event.node),
        Remedy("generator_per_worker", "unsafe", "Make the generator in each worker, from the worker's seed"),
    )


