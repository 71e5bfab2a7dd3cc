"""A loader loads in the main process.

## What it finds

A `DataLoader(...)` whose `num_workers` is absent or 0 on every way to the call. A number that is chosen at
run time, or 0 only for debugging, is not reported. Off by default: for small data that is in memory it is
often deliberate.

## Why is this bad

`num_workers` absent or 0 loads in the main process: the training step waits while each batch is read,
decoded and put together.

## Example

```python
loader = DataLoader(images, batch_size=32, shuffle=True)
```

Use instead:

```python
loader = DataLoader(images, batch_size=32, shuffle=True, num_workers=4)
```

## Level

- `note`, cost: time; this rule is off by default.

## Fix safety

No remedy: the number depends on the machine, and code that was never run in workers may not be ready for
them.

## References

- https://pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.program.program import Program
from dlint.rules.rule import Found

ON_BY_DEFAULT = False


def check(program: Program) -> Iterator[Found]:
    """Loaders that never have workers."""
    for loader in program.loaders:
        if not loader.inherited and not loader.may_have_workers:
            written = "not given" if loader.values("num_workers") == [None] else "0"
            yield Found(
                loader.module,
                loader.call,
                f"num_workers is {written}: every batch is loaded in the main process while training waits",
                "cost",
                "give num_workers=4 or so, where loading takes time",
            )
