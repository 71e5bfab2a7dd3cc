"""A DistributedSampler of training data is never told the epoch.

## What it finds

A shuffling `DistributedSampler` whose loader is iterated once an epoch, in a program that never calls its
`set_epoch`. One call that can reach the sampler is enough, however far away: `loader.sampler.set_epoch`
behind a `hasattr` or a `getattr`, a hook of another file, a trainer; so is an assignment to the sampler's
`epoch`, which is all that `set_epoch` does. Lightning, Accelerate and their like call it themselves.

Not reported: samplers with `shuffle=False`, samplers and loaders that are called after evaluation
(`val_sampler`, `test_loader`, `evaluate()`), loaders that are gone through once or only without gradients
(`torch.no_grad()`, `model.eval()`), programs that only evaluate, samplers made anew with `seed=epoch`, and
samplers of the project's own that count the epochs.

## Why is this bad

The sampler shuffles with a generator seeded by `seed + epoch`. As measured, without `set_epoch` the order is
the same every epoch.

## Example

```python
sampler = DistributedSampler(dataset)
loader = DataLoader(dataset, batch_size=32, sampler=sampler)
for epoch in range(epochs):
    for batch in loader:
        train(batch)
```

Use instead:

```python
for epoch in range(epochs):
    sampler.set_epoch(epoch)
    for batch in loader:
        train(batch)
```

## Fix safety

Unsafe: the order of the samples changes. The call is inserted at the top of the epoch loop, where there is
one such loop in the function that makes the sampler.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.epochs import (
    SAMPLER,
    SIGNATURE,
    speaks_of_evaluating,
    speaks_of_evaluation,
    speaks_of_training,
)
from dlint.module.layout import statements_in
from dlint.program.epochs import Epochs
from dlint.program.frame import Argument, Frame, Point
from dlint.program.iteration import Iteration, Iterations
from dlint.program.loaders import Loader
from dlint.program.program import Program
from dlint.program.repetition import loops_around
from dlint.program.training import evaluates, is_without_gradients
from dlint.program.values import Const, Instance, Made, Table, World
from dlint.rules.rule import Found

_FAR = 4


def check(program: Program) -> Iterator[Found]:
    """Shuffling distributed samplers of training loaders that nobody tells the epoch."""
    if not program.modules.index.mentioning(SAMPLER.rpartition(".")[2]):
        return
    epochs = Epochs(program)
    for loader in program.loaders:
        for sampler, world in _samplers(program, loader) if loader.may_get("sampler") else ():
            if _is_for_evaluation(loader, sampler) or _keeps_order(program, sampler, world):
                continue
            seed = _given(sampler, "seed")
            modules = _program_of(program, loader)
            if (seed is not None and epochs.counts(seed, _place(loader, sampler))) or epochs.are_told(
                loader, sampler, modules
            ):
                continue
            if _runs_each_epoch(program, loader, modules):
                yield _found(loader, sampler)


def _samplers(program: Program, loader: Loader) -> Iterator[tuple[Made | Instance, World]]:
    """The distributed samplers that a loader may get, each once."""
    seen: set[int] = set()
    for way, world in loader.ways("sampler"):
        value = way["sampler"]
        if isinstance(value, Made) and value.name == SAMPLER:
            pass
        elif not isinstance(value, Instance) or not _is_plain_subclass(program, value):
            continue
        if id(value.node) not in seen and isinstance(value.node, ast.Call):
            seen.add(id(value.node))
            yield value, world


def _is_plain_subclass(program: Program, value: Instance) -> bool:
    classes = program.evaluator.classes
    own = any(classes.member(value.cls, name) for name in ("__iter__", "set_epoch"))
    return not own and SAMPLER in classes.libraries(value.cls)


def _keeps_order(program: Program, sampler: Made | Instance, world: World) -> bool:
    """Whether a sampler surely does not shuffle."""
    given = _given(sampler, "shuffle")
    if given is not None:
        values = [value for value, _ in program.evaluator.value_of(given, world)]
    else:
        splats = sampler.arguments.splats if sampler.arguments is not None else []
        tables = [value for splat in splats for value, _ in program.evaluator.value_of(splat, world)]
        values = [
            each.items["shuffle"] for each in tables if isinstance(each, Table) and "shuffle" in each.items
        ]
        if len(values) < len(tables):
            return False
    return bool(values) and all(isinstance(value, Const) and not value.value for value in values)


def _given(sampler: Made | Instance, name: str) -> Argument | None:
    """What a sampler is given under a name, or at its place."""
    if sampler.arguments is None:
        return None
    positional, at = sampler.arguments.positional, SIGNATURE.index(name)
    return sampler.arguments.keywords.get(name) or (positional[at] if len(positional) > at else None)


def _place(loader: Loader, sampler: Made | Instance) -> Point:
    return sampler.point if isinstance(sampler, Made) else loader.point


def _is_for_evaluation(loader: Loader, sampler: Made | Instance) -> bool:
    """Whether the names around a loader say that it evaluates."""
    names: list[str] = []
    for call, frame in ((loader.call, loader.point.frame), (sampler.node, loader.point.frame)):
        assert isinstance(call, ast.Call)
        if not isinstance(frame.scope, ast.Module):
            names.append(getattr(frame.scope, "name", ""))
        names += [ast.unparse(node) for node in call.args[:1]]
        names += [ast.unparse(word.value) for word in call.keywords if word.arg == "dataset"]
        names += _targets(frame, call)
    return any(speaks_of_evaluation(part) for name in names for part in name.split("."))


def _targets(frame: Frame, call: ast.Call) -> list[str]:
    """The variables that a statement around a call stores into."""
    for statement in statements_in(frame.layout.body):
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        if statement.lineno <= call.lineno <= (statement.end_lineno or call.lineno):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            return [ast.unparse(target) for target in targets]
    return []


def _program_of(program: Program, loader: Loader) -> set[str]:
    """The files that belong to the programs that build a loader."""
    found: set[str] = set()
    for way in program.boundaries.ways_to(loader.point):
        found |= program.boundaries.imports(way.module.relative)
        if not way.whole:
            # Whoever imports it may call it.
            for other in program.boundaries.importers(way.module):
                found |= program.boundaries.imports(other.relative)
    return found


def _runs_each_epoch(program: Program, loader: Loader, modules: set[str]) -> bool:
    """Whether the program goes through a loader again and again, to train."""
    texts = (program.modules.index.data(relative).decode(errors="replace") for relative in modules)
    trains = any(map(speaks_of_training, texts))
    iterations = Iterations(program)
    for relative in sorted(modules):
        module = program.modules.get(relative)
        if module is None or (not trains and speaks_of_evaluating(module.text)):
            continue
        for iteration in iterations.in_module(module):
            if iteration.loader.call is loader.call and _is_epoch_loop(program, iteration):
                return True
    return False


def _is_epoch_loop(program: Program, iteration: Iteration) -> bool:
    """Whether an iteration is run again and again, by a loop around it or around calls that lead to it."""
    waiting: list[tuple[Point, int]] = [(iteration.point, 0)]
    seen: set[int] = set()
    while waiting:
        point, far = waiting.pop()
        scope = point.frame.scope
        if isinstance(scope, ast.FunctionDef) and speaks_of_evaluation(scope.name):
            continue
        if is_without_gradients(point) or evaluates(point):
            continue
        if next(loops_around(point), None) is not None:
            return True
        if isinstance(scope, ast.FunctionDef) and id(scope) not in seen and far < _FAR:
            seen.add(id(scope))
            for site in program.evaluator.sites.of(scope, point.frame):
                waiting.append((site.point, far + 1))
    return False


def _found(loader: Loader, sampler: Made | Instance) -> Found:
    assert isinstance(sampler.node, ast.Call)
    module = sampler.point.frame.module if isinstance(sampler, Made) else loader.module
    targets = _targets(loader.point.frame, sampler.node) if module is loader.module else []
    name = targets[0] if len(targets) == 1 and targets[0].isidentifier() else None
    where = f"{loader.module.relative}:{loader.call.lineno}"
    remedy = None
    if name is not None:
        data = {"sampler": name}
        remedy = Remedy("insert_set_epoch", "unsafe", "Call set_epoch at the top of the epoch loop", data)
    return Found(
        module,
        sampler.node,
        f"the program trains with this DistributedSampler (loader at {where}) and never calls its set_epoch: "
        "every epoch has the same order; call sampler.set_epoch(epoch) at the top of each epoch",
        remedy=remedy,
        by_hand=None if remedy else "call set_epoch(epoch) on it at the top of each epoch",
    )
