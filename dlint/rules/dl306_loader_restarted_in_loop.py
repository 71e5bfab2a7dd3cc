"""A loop starts a loader's workers again for every batch.

## What it finds

`next(iter(loader))` in a loop, where the loader has workers and stays the same while the loop goes round.

Once before or after a loop is fine, so is once an epoch beside what goes through the batches (a loop, or a
function that is called there), now and then (`if step % 100 == 0`), in a test, a loader without workers or
with `persistent_workers=True`, and a loader class with an `__iter__` of its own.

## Why is this bad

Every `iter(loader)` starts all workers, which load their first batches and are thrown away after one. As
measured: 243 ms against 3.2 ms a batch, 75 times as much. With `shuffle=False` every round gets the first
batch.

## Example

```python
for step in range(steps):
    images, labels = next(iter(loader))
```

Use instead:

```python
loader_iterator = iter(loader)
for step in range(steps):
    try:
        images, labels = next(loader_iterator)
    except StopIteration:
        loader_iterator = iter(loader)
        images, labels = next(loader_iterator)
```

## Fix safety

Unsafe: the loop gets other batches than before, each once an epoch.

## References

- https://pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.module.layout import dotted, target_names
from dlint.module.source import Module
from dlint.program.frame import Point
from dlint.program.iteration import Iterations
from dlint.program.loaders import Loader
from dlint.program.program import Program
from dlint.program.values import Const, Value
from dlint.rules.rule import Found

_RESTART = re.compile(r"\bnext\s*\(\s*iter\s*\(|\biter\s*\([^\n]*\)\s*\.\s*(?:__next__|next)\s*\(")
_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|(?:^|/)tests?/")
_EPOCH = re.compile(r"epoch|^ep$", re.IGNORECASE)
# What is given a loader and does not go through it.
_LOOKS = frozenset({"iter", "len", "next", "print", "type", "isinstance"})


def check(program: Program) -> Iterator[Found]:
    """Every ``next(iter(loader))`` of a loop."""
    iterations: Iterations | None = None
    index = program.modules.index
    for relative in index.mentioning("iter("):
        if not program.mine(relative) or _TEST_FILE.search(relative):
            continue
        if not _RESTART.search(index.data(relative).decode(errors="replace")):
            continue
        module = program.modules.get(relative)
        if module is None:
            continue
        for trail, call, node in _restarts(module):
            loop = _loop(trail, node)
            if loop is None:
                continue
            program.evaluator.start()
            if iterations is None:
                iterations = Iterations(program)
            point = program.evaluator.sites.point_of(module, trail)
            found = [
                loader
                for value, _ in program.evaluator.values(node, point)
                for loader in [iterations.loader(value)]
                if loader is not None and _starts_workers(loader)
            ]
            if found and not _binds(loop, node, point) and not _is_epoch_loop(loop, point, iterations):
                yield _found(module, call, node, found[0])


def _restarts(module: Module) -> Iterator[tuple[list[ast.AST], ast.Call, ast.expr]]:
    """Every ``next(iter(x))``: the nodes down to it, the call, and x."""
    for trail in module.paths_to("iter"):
        if len(trail) < 3:
            continue
        inner, outer = trail[-2], trail[-3]
        if not isinstance(inner, ast.Call) or inner.func is not trail[-1] or len(inner.args) != 1:
            continue
        if isinstance(outer, ast.Attribute) and outer.attr in ("next", "__next__") and len(trail) > 3:
            call = trail[-4]
            if isinstance(call, ast.Call) and call.func is outer:
                yield trail[:-3], call, inner.args[0]
        elif isinstance(outer, ast.Call) and isinstance(outer.func, ast.Name) and outer.func.id == "next":
            yield trail[:-2], outer, inner.args[0]


def _loop(trail: list[ast.AST], node: ast.expr) -> ast.For | ast.While | None:
    """The innermost loop of the same function around the last node, if it goes round for every batch."""
    if dotted(node) is None:
        return None
    for index in range(len(trail) - 1, 0, -1):
        at, above = trail[index], trail[index - 1]
        if isinstance(above, ast.FunctionDef) and above.name.startswith("test"):
            return None
        if isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return None
        if isinstance(above, ast.If) and at is not above.test and _is_now_and_then(above.test):
            return None
        if isinstance(above, ast.For | ast.While) and any(at is statement for statement in above.body):
            return None if _leaves(above, at) else above
    return None


def _is_now_and_then(test: ast.expr) -> bool:
    """Whether a test lets only some rounds through: ``step % 100 == 0``, ``step == 0``."""
    return any(isinstance(node, ast.Mod | ast.Compare | ast.Not) for node in ast.walk(test))


def _leaves(loop: ast.For | ast.While, statement: ast.AST) -> bool:
    """Whether the loop is left after the statement, in the same round."""
    after = loop.body[[each is statement for each in loop.body].index(True) :]
    return any(isinstance(each, ast.Break | ast.Return) for each in after)


def _is_epoch_loop(loop: ast.For | ast.While, point: Point, iterations: Iterations) -> bool:
    """Whether a loop goes round once an epoch: it goes through batches inside, or calls what does."""
    head = target_names(loop.target) if isinstance(loop, ast.For) else _names(loop.test)
    if any(_EPOCH.search(name) for name in head):
        for node in (node for statement in loop.body for node in ast.walk(statement)):
            if isinstance(node, ast.For | ast.While) or _hands_over(node, point, iterations):
                return True
    return any(iteration.is_loop for iteration in iterations.from_block(loop.body, point.frame))


def _names(test: ast.expr) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _hands_over(node: ast.AST, point: Point, iterations: Iterations) -> bool:
    """Whether a call is given a loader: an epoch hands one to the function that trains."""
    if not isinstance(node, ast.Call) or dotted(node.func) in _LOOKS:
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return any(iterations.is_loader(each, point) for each in given if dotted(each))


def _binds(loop: ast.For | ast.While, node: ast.expr, point: Point) -> bool:
    """Whether the loop makes its loader anew, or goes over several."""
    path = dotted(node) or ""
    bound = point.frame.layout.bound_by(loop)
    parts = path.split(".")
    return any(".".join(parts[: end + 1]) in bound for end in range(len(parts)))


def _starts_workers(loader: Loader) -> bool:
    """Whether each iterator of a loader has workers of its own."""
    kept = loader.values("persistent_workers")
    return loader.may_have_workers and not any(isinstance(value, Const) and value.value for value in kept)


def _found(module: Module, call: ast.Call, node: ast.expr, loader: Loader) -> Found:
    name = dotted(node)
    same = ""
    if _surely_ordered(loader.values("shuffle")) and loader.values("sampler") == [None]:
        same = ", and every round gets the first batch"
    return Found(
        module,
        call,
        f"next(iter({name})) in a loop starts new workers for every batch: 243 ms against 3.2 ms a batch as "
        f"measured{same}; make the iterator once before the loop, and again on StopIteration",
        remedy=Remedy("hoist_iterator", "unsafe", "Make the iterator once, before the loop"),
    )


def _surely_ordered(values: list[Value | None]) -> bool:
    return all(value is None or (isinstance(value, Const) and not value.value) for value in values)
