"""A DistributedSampler of training data is never told the epoch.

## What it finds

A shuffling `DistributedSampler` whose loader is iterated once an epoch, in a program that never calls its
`set_epoch`, or surely with the same number each time: in the loop over the epochs with one that this loop
does not change (`set_epoch(0)`, `set_epoch(args.seed)`, the number that the loop begins with, an attribute
that nobody sets but the constructor: `self.epoch = 0`), or once before it. A call behind a test of a method
that the receiver does not have is none (`hasattr(loader, "set_epoch")` of torch's own loader,
`hasattr(loader.dataset, "set_epoch")` of a dataset without it), nor is one on what torch itself makes for the
loader (`loader.sampler` where it gets a `batch_sampler`, `loader.batch_sampler` where it gets a sampler), nor
one behind a test for torch's class, of a sampler of the project's own that is none. A
`set_epoch` that hands on what it is told counts where something may tell such an object. Where one function
makes several loaders, it is the sampler of the one that the loop goes through that must be told.

The loader may get it inside a `BatchSampler`, or inside a class of the project's own that deals
out what the sampler gives; or it gets a class derived from it whose `__iter__` reads `self.epoch`, or a
sampler of the project's own that seeds what it draws from by the number that its `set_epoch` stores. One call
that can reach the sampler is enough, however far away: `loader.sampler.set_epoch` behind a `hasattr` or a
`getattr`, a hook of another file, a trainer, its name handed to what calls it; so is an assignment to the
sampler's `epoch`, which is all that `set_epoch` does. Lightning, Accelerate and their like call it
themselves; ignite's engines, which go through a loader for `max_epochs`, do not; nor does torch_xla's
`MpDeviceLoader`. A comprehension over a range, or `map`, runs epochs as a loop does.

Not reported: samplers with `shuffle=False`, also where the `__init__` of a derived class gives it; samplers
and loaders that are called after evaluation (`val_sampler`, `test_loader`, `evaluate()`), themselves or by
their place (`{"val": loader}`, `("val", loader)`, `Engine(eval_loader=loader)`), loaders that are gone
through once (also by an attempt that is made again after an error) or only without gradients
(`torch.no_grad()`, `model.eval()`), or by calls that train nothing (`run(model, loader, train=False)`), the
loader that gets `shuffle=False` of those that one function makes, programs that only evaluate, samplers made
anew in each epoch with another seed (`seed=epoch`, also through functions that are given it), and samplers of
the project's own that count the epochs or draw random numbers of their own.

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

## Level

- `error`, silent: every epoch has the same order.

## Fix safety

Unsafe: the order of the samples changes. The call is inserted at the top of the loop over the epochs, also
where that is in another function or file: there it is `loader.sampler.set_epoch(epoch)`, behind a test where
the loader may have another sampler, or `loader.batch_sampler.sampler` where it is sure to have that.
`for _ in range(epochs)` gets a name for the number. Left to you where several loops go through the epochs,
several are around the training and none speaks of epochs, several loaders of one function are gone through in
one loop, or the loader has it inside something else.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.epochs import (
    SAMPLER,
    TELLS,
    speaks_of_evaluating,
    speaks_of_evaluation,
    speaks_of_training,
)
from dlint.loaders.by_epoch.epoch_loops import EpochLoop, epoch_loop, is_evaluation, only, run_by_libraries
from dlint.loaders.by_epoch.epochs import Epochs
from dlint.loaders.by_epoch.same_epoch import Tell, are_same_somewhere, is_same
from dlint.loaders.conflicts import may_have_no_sampler
from dlint.loaders.iteration import Iterations
from dlint.loaders.loaders import Loader
from dlint.loaders.samplers import Dealt, Samplers
from dlint.loaders.training import assignment_of, is_called_after_evaluation
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.nodes import walk
from dlint.source.statements import statements_in
from dlint.values.values import Instance, Made, Value

_NO_CALL = frozenset({ast.Pass()})
_UNNAMED = (
    "neither the sampler nor its loader has a name where the epochs are counted: give it one, and call "
    "set_epoch(epoch) on it at the top of each epoch"
)
_INSIDE = (
    "{} has the sampler inside another object: keep the sampler under a name that the loop sees, and call "
    "its set_epoch(epoch) at the top of each epoch"
)
_SAME = "call sampler.set_epoch(epoch) at the top of the loop over the epochs, with the number that it counts"


def check(program: Program) -> Iterator[Found]:
    """Shuffling distributed samplers of training loaders that nobody tells the epoch."""
    if not any(map(program.modules.index.mentioning, (SAMPLER.rpartition(".")[2], TELLS))):
        return
    epochs, samplers, iterations = Epochs(program), Samplers(program.evaluator), Iterations(program)
    for loader in program.loaders:
        for dealt in samplers.of(loader):
            if _is_for_evaluation(program, loader, dealt) or samplers.keeps_order(dealt):
                continue
            seed = samplers.given(dealt.sampler, "seed")
            modules = _program_of(program, loader)
            if seed is not None and epochs.counts(seed, dealt.point):
                continue
            told = epochs.told(dealt, modules)
            # Which call made the loader says nothing of what is told whoever made it; to find it is dear.
            if told is None and (
                not _is_one_of_several(program, loader) or epochs.told(dealt, modules, _NO_CALL) is None
            ):
                continue
            if told and not are_same_somewhere(program, told):
                continue
            around = _runs_each_epoch(program, samplers, iterations, loader, dealt, modules)
            if told is None and around is not None and around.sure and None not in around.sites:
                # What is told may be of a loader that another call of the function makes.
                told = epochs.told(dealt, modules, around.sites)
            if around is None or told is None or (told and not _is_told_the_same(program, told, around)):
                continue
            if not (seed is not None and _is_another_each_round(epochs.rounds_of(seed, dealt.point), around)):
                yield _found(samplers, loader, dealt, around, told)


def _is_one_of_several(program: Program, loader: Loader) -> bool:
    """Whether several calls of one function make loaders by the same call of their class."""
    frame, scope = loader.point.frame, loader.point.frame.scope
    return isinstance(scope, ast.FunctionDef) and len(program.evaluator.sites.of(scope, frame)) > 1


def _is_told_the_same(program: Program, told: list[Tell], around: EpochLoop) -> bool:
    """Whether all calls of set_epoch tell the same number in each round of the loop over the epochs."""
    return around.loop is not None and all(is_same(program, each, around.loop) for each in told)


def _is_for_evaluation(program: Program, loader: Loader, dealt: Dealt) -> bool:
    """Whether the names around a loader say that it evaluates."""
    calls = [(loader.call, loader.point.frame), (dealt.call, dealt.point.frame)]
    names = list(_names_of_callers(program, loader))
    # One of several callers may call it after training: whose loader it is, its passes say.
    return is_called_after_evaluation(calls, names if all(map(speaks_of_evaluation, names)) else ())


def _names_of_callers(program: Program, loader: Loader) -> Iterator[str]:
    """What callers of the function that makes a loader among others call it: ``train, val = loaders()``."""
    frame, call = loader.point.frame, loader.call
    scope = frame.scope
    if not isinstance(scope, ast.FunctionDef):
        return
    statement = assignment_of(call, frame)
    own = {ast.unparse(target) for target in statement.targets} if statement is not None else set[str]()
    for returned in statements_in(scope.body):
        match returned:
            case ast.Return(value=ast.Tuple(elts=parts) | ast.List(elts=parts)):
                places = [
                    at
                    for at, part in enumerate(parts)
                    if ast.unparse(part) in own or any(node is call for node in walk(part))
                ]
                for site in program.evaluator.sites.of(scope, frame):
                    around = assignment_of(site.call, site.point.frame)
                    match around:
                        case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)]) if (
                            around.value is site.call and len(targets) == len(parts)
                        ):
                            yield from (ast.unparse(targets[at]) for at in places)


def _program_of(program: Program, loader: Loader) -> set[str]:
    """The files that belong to the programs that build a loader."""
    found: set[str] = set()
    for way in program.boundaries.ways_to(loader.point):
        found |= program.boundaries.imports(way.module.relative)
        if not way.whole:
            # Whoever imports it may call it.
            for other in program.boundaries.importers(way.module.relative):
                found |= program.boundaries.imports(other)
    return found


def _runs_each_epoch(
    program: Program,
    samplers: Samplers,
    iterations: Iterations,
    loader: Loader,
    dealt: Dealt,
    modules: set[str],
) -> EpochLoop | None:
    """The loop by which the program goes through a loader again and again, to train; one without a loop
    where there are several."""
    texts = (program.modules.index.data(relative).decode(errors="replace") for relative in modules)
    trains = any(map(speaks_of_training, texts))

    def keeps_order(there: Loader) -> bool:
        known = list(samplers.of(there))
        return bool(known) and all(map(samplers.keeps_order, known))

    found: list[EpochLoop] = []
    for relative in sorted(modules):
        module = program.modules.get(relative)
        if module is None or (not trains and speaks_of_evaluating(module.text)):
            continue
        for iteration in iterations.in_module(module, is_evaluation):
            if iteration.loader.call is loader.call:
                around = epoch_loop(program, iterations, iteration, dealt.point, keeps_order)
                found += [around] if around is not None else []
        found += run_by_libraries(program, iterations, loader, module)
    return only(found)


def _is_another_each_round(rounds: list[ast.stmt] | None, around: EpochLoop) -> bool:
    """Whether loops in whose rounds a sampler is made with another seed are those of the epochs, or inside
    these; or may be, where they are not known. Where a whole training is run again with another seed, its
    epochs still begin alike."""
    return rounds is None or any(
        around.loop is None or loop is around.loop or any(node is loop for node in walk(around.loop))
        for loop in rounds
    )


def _found(samplers: Samplers, loader: Loader, dealt: Dealt, around: EpochLoop, told: list[Tell]) -> Found:
    statement = assignment_of(dealt.call, dealt.point.frame)
    where = f"{loader.module.relative}:{loader.call.lineno}"
    data: dict[str, object] = {}
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_whole(value, dealt.call):
            data["sampler"] = name
    if around.loader is not None:
        attribute, sure = _attribute(samplers, loader, dealt)
        if attribute:
            sure = around.sure and sure and not may_have_no_sampler(loader)
            data |= {"loader": around.loader, "attribute": attribute, "sure": sure}
            data |= {"own": not all(samplers.is_torchs(each) for each in samplers.of(loader))}
        elif data:
            data |= {"loader": around.loader, "attribute": ""}
    remedy = None
    if data and around.loop is not None:
        data |= {"path": around.module.relative, "line": around.loop.lineno}
        remedy = Remedy("insert_set_epoch", "unsafe", "Call set_epoch at the top of the epoch loop", data)
    if told:
        first = told[0].point
        line, path = getattr(first.statement, "lineno", 1), first.frame.module.relative
        return Found(
            dealt.point.frame.module,
            dealt.call,
            f"{path}:{line} tells this {_called(dealt)} the same epoch each time (loader at {where}): every "
            "epoch has the same order",
            "silent",
            "tell it the number of the epoch at the top of each",
            by_hand=_SAME,
        )
    return Found(
        dealt.point.frame.module,
        dealt.call,
        f"nobody calls set_epoch of this {_called(dealt)} (loader at {where}): every epoch "
        "has the same order",
        "silent",
        "call sampler.set_epoch(epoch) at the top of each epoch",
        remedy=remedy,
        by_hand=None if remedy else around.by_hand or _unnamed(around),
    )


def _called(dealt: Dealt) -> str:
    """What a sampler is: torch's own, or of which class of the project."""
    if isinstance(dealt.sampler, Instance):
        return dealt.sampler.cls.name
    return SAMPLER.rpartition(".")[2]


def _unnamed(around: EpochLoop) -> str:
    """Why nothing in the loop over the epochs can be told."""
    return _UNNAMED if around.loader is None else _INSIDE.format(around.loader)


def _attribute(samplers: Samplers, loader: Loader, dealt: Dealt) -> tuple[str, bool]:
    """Under which attribute a loader has a sampler (none where nothing says), and whether it has on every
    way."""
    # What a loader gets as `sampler=` is its attribute `sampler`.
    given = [_is_made_by(value, dealt.call) for value in loader.values("sampler")]
    if any(given):
        return "sampler", all(given)
    given = [
        _is_made_by(part, dealt.call)
        for value in loader.values("batch_sampler")
        for part in samplers.in_batches(value) or (None,)
    ]
    return ("batch_sampler.sampler", all(given)) if any(given) else ("", False)


def _is_made_by(value: Value | None, call: ast.Call) -> bool:
    return isinstance(value, Made | Instance) and value.node is call


def _is_whole(value: ast.expr, call: ast.Call) -> bool:
    """Whether what is assigned is the call's result, if it is made."""
    if isinstance(value, ast.IfExp):
        return value.body is call or value.orelse is call
    return value is call
