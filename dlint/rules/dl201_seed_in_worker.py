"""Worker code seeds a global random state, so items repeat.

## What it finds

`np.random.seed(...)`, `random.seed(...)` or `torch.manual_seed(...)` in worker code other than
`worker_init_fn`: in `__getitem__`, `collate_fn`, a transform, or what these reach in any file. Seeds in the
dataset's `__init__`, in main and in `worker_init_fn` are fine (DL204 looks at the last).

## Why is this bad

The call sets the state for everything that the worker does from then on. Measured with a constant (and the
same with `int(time.time())`): 1 distinct value of 24 draws. All augmentation of that library is one and the
same.

## Example

```python
def __getitem__(self, index):
    np.random.seed(0)
    return self.images[index] + np.random.randn(3)
```

Use instead, where every item should get the same numbers in every epoch:

```python
def __getitem__(self, index):
    rng = np.random.default_rng([0, index])
    return self.images[index] + rng.standard_normal(3)
```

Otherwise remove the call: every worker has its own state.

## Fix safety

Unsafe: the numbers change. The statement goes, or, where draws of the same library follow in the function,
becomes a local generator.

## References

- https://numpy.org/doc/stable/reference/random/generator.html
- https://pytorch.org/docs/stable/notes/randomness.html#dataloader
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.randomness import SEEDS
from dlint.program.program import Program
from dlint.program.worker import Event
from dlint.rules.rule import Found


def check(program: Program) -> Iterator[Found]:
    """Seeding calls in worker code."""
    for use in program.uses:
        for event in use.code.events:
            if event.name in SEEDS and event.role != "worker_init_fn" and event.owner is None:
                yield _found(event)


def _found(event: Event) -> Found:
    assert isinstance(event.node, ast.Call)
    name = event.name
    return Found(
        event.module,
        event.node,
        f"{ast.unparse(event.node)} in worker code sets {SEEDS[name]}'s random state again for every item: random "
        "augmentation repeats (1 distinct value of 24 draws with a constant); remove it, or draw from a local "
        "generator made from the seed and the index",
        event.link.steps(name, event.module, event.node),
        Remedy("remove_reseed", "unsafe", "Remove the seeding, or draw from a local generator"),
    )
