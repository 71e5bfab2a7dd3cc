"""A DistributedSampler of training data is never told the epoch.

## What it finds

A shuffling `DistributedSampler` whose loader is iterated once an epoch, in a program that never calls its
`set_epoch`. One call that can reach the sampler is enough, however far away: `loader.sampler.set_epoch`
behind a `hasattr`, a hook of another file, a trainer. Lightning, Accelerate and their like call it
themselves.

Not reported: samplers with `shuffle=False`, samplers and loaders that are called after evaluation
(`val_sampler`, `test_loader`, `evaluate()`), loaders that are gone through once or only without gradients
(`torch.no_grad()`, `model.eval()`), programs that only evaluate, and samplers of the project's own that count
the epochs.

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
    sets_epoch_itself,
    speaks_of_evaluating,
    speaks_of_evaluation,
    speaks_of_training,
)
from dlint.module.layout import statements_in
from dlint.module.source import Module
from dlint.program.frame import Frame, Point
from dlint.program.iteration import Iteration, Iterations
from dlint.program.loaders import Loader
from dlint.program.program import Program
from dlint.program.repetition import loops_around
from dlint.program.training import evaluates, is_without_gradients
from dlint.program.values import Const, External, Instance, Made, Value, World
from dlint.rules.rule import Found

_FAR = 4


def check(program: Program) -> Iterator[Found]:
    """Shuffling distributed samplers of training loaders that nobody tells the epoch."""
    if not program.modules.index.mentioning(SAMPLER.rpartition(".")[2]):
        return
    calls = _Calls(program)
    for loader in program.loaders:
        for sampler, world in _samplers(program, loader) if loader.may_get("sampler") else ():
            if _is_for_evaluation(loader, sampler) or _keeps_order(program, sampler, world):
                continue
            modules = _program_of(program, loader)
            if _is_told(program, calls, loader, sampler, modules):
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
    if sampler.arguments is None:
        return False
    positional = sampler.arguments.positional
    given = sampler.arguments.keywords.get("shuffle") or (positional[3] if len(positional) > 3 else None)
    if given is None:
        return False
    values = program.evaluator.value_of(given, world)
    return all(isinstance(value, Const) and not value.value for value, _ in values)


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


class _Calls:
    """The program's calls of a set_epoch, looked at file by file."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, list[list[Value]]] = {}

    def of_file(self, relative: str) -> list[list[Value]]:
        """What the receivers of a file's calls may be."""
        if relative not in self._known:
            module = self._program.modules.get(relative)
            self._known[relative] = list(self._receivers(module)) if module is not None else []
        return self._known[relative]

    def _receivers(self, module: Module) -> Iterator[list[Value]]:
        evaluator = self._program.evaluator
        for trail in module.paths_to("set_epoch"):
            node = trail[-1]
            if isinstance(node, ast.Attribute):
                evaluator.start()
                point = evaluator.sites.point_of(module, trail)
                yield [value for value, _ in evaluator.values(node.value, point)]


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


def _is_told(
    program: Program,
    calls: _Calls,
    loader: Loader,
    sampler: Made | Instance,
    modules: set[str],
) -> bool:
    """Whether some call of set_epoch can reach a sampler, or a library of the program makes one."""
    files = program.modules.index.mentioning("set_epoch")
    # A call in the same program counts unless it is another's: one is soon found there.
    for relative in sorted(files, key=lambda file: file not in modules):
        for values in calls.of_file(relative):
            if any(_reaches(value, loader, sampler) for value in values):
                return True
            if relative in modules and not all(_is_another(program, value) for value in values):
                return True
    return any(sets_epoch_itself(program.modules.index.data(relative)) for relative in modules)


def _reaches(value: Value, loader: Loader, sampler: Made | Instance) -> bool:
    if isinstance(value, External) and value.owner is not None:
        return value.owner.node is loader.call
    return getattr(value, "node", None) in (sampler.node, loader.call)


def _is_another(program: Program, value: Value) -> bool:
    """Whether the receiver of a set_epoch is known, so that it is not the sampler that was looked for."""
    if isinstance(value, External) and value.owner is not None:
        return True
    return isinstance(value, Made | Const) or (
        isinstance(value, Instance) and bool(program.evaluator.classes.member(value.cls, "set_epoch"))
    )


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
