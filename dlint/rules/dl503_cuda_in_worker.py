"""Worker code puts tensors on the GPU.

## What it finds

`.cuda()`, `.to(device)`, `device=...` or `torch.cuda.FloatTensor(...)` in worker code (`__getitem__`,
`collate_fn`, transforms and whatever these reach in any file) for a loader with workers, where the device is
CUDA: written there, or by some way in which the program makes it, such as
`torch.device("cuda" if torch.cuda.is_available() else "cpu")`. A number is a GPU's (`device=0`, `.to(0)`),
and so is the rank that `mp.spawn` passes to what it starts.

A device that is the CPU by every construction, `.to(x.device)`, a device that cannot be followed, code that
asks whether it runs in a worker, and workers that the project starts by spawn or forkserver are left alone.

## Why is this bad

CUDA does not survive a fork: once the main process has used the GPU (the model is there already), a forked
worker that touches it fails with `RuntimeError: Cannot re-initialize CUDA in forked subprocess`. Where the
main process has not, each worker opens a context of its own on the GPU, which takes memory there.

## Example

```python
class Digits(Dataset):
    def __getitem__(self, index):
        return self.images[index].to("cuda"), self.labels[index]
```

Use instead:

```python
class Digits(Dataset):
    def __getitem__(self, index):
        return self.images[index], self.labels[index]

for images, labels in DataLoader(digits, num_workers=4, pin_memory=True):
    images = images.to("cuda", non_blocking=True)
```

## Level

- `warning`, error: if the parent has used the GPU before the workers are forked.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, a dataset that no loader of the project is seen to get, or a loader in a function that
nothing in the project calls.

## Fix safety

No remedy: the move to the GPU belongs in the training loop, which may be anywhere.

## References

- https://pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
- https://pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from dlint.finding import ReachStep
from dlint.fork.start_method import STARTS_ANEW
from dlint.knowledge.processes.devices import (
    DEVICE,
    DEVICE_KEYWORDS,
    DEVICE_NAMES,
    MOVES,
    PRESENT_GPU,
    is_cuda,
    is_number_of_gpu,
    makes_cuda_tensor,
)
from dlint.loaders.loaders import Loader
from dlint.program.conditions import both, with_workers
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, expressions, statements_in
from dlint.values.frame import Point
from dlint.values.places import path_to, places_around
from dlint.values.values import Const, External, Function, Made, Unknown, Value
from dlint.values.worlds import World
from dlint.workers.events import Visit

# A test that speaks of these may keep workers out.
_ASKS_WHO = re.compile("worker|start_method|parent_process|current_process")


def check(program: Program) -> Iterator[Found]:
    """Tensors that worker code makes on, or moves to, a GPU."""
    places: dict[int, list[tuple[Visit, ast.Call]]] = {}
    for use in program.uses:
        if use.loader is None or program.start_method_of(use) in STARTS_ANEW:
            continue
        if id(use.code) not in places:
            places[id(use.code)] = [
                (visit, call) for visit in use.code.visits for call in _in_function(program, visit)
            ]
        for visit, call in places[id(use.code)]:
            yield _found(program, use.loader, visit, call)


def _in_function(program: Program, visit: Visit) -> Iterator[ast.Call]:
    """The calls of a worker's function that use the GPU, one a statement."""
    node = visit.function.node
    mark = ("calls that may name a device", id(node))
    if mark not in program.answers:  # every worker code comes to the same functions
        program.answers[mark] = _candidates(node, visit.function.module.text_of(node))
    candidates: list[tuple[ast.Call, ast.stmt | None]] = program.answers[mark]
    told: set[int] = set()
    for call, statement in candidates:
        point = Point(visit.frame, statement)
        program.evaluator.start()
        worlds = (
            program.evaluator.flow.reaching(point, visit.world) if id(point.statement) not in told else []
        )
        worlds = [w for world in worlds for w in _chosen(program, call, point, world)]
        if any(_uses_gpu(program, call, point, world) for world in worlds) and not _kept_out(point):
            told.add(id(point.statement))
            yield call


def _candidates(node: FunctionNode | ast.Lambda, text: str) -> list[tuple[ast.Call, ast.stmt | None]]:
    """The calls of a function that may name a device, each with its statement."""
    if not any(word in text for word in ("cuda", "device", ".to(")):
        return []
    if isinstance(node, ast.Lambda):
        return [(call, None) for call in _calls(node.body)]
    return [
        (call, statement)
        for statement in statements_in(node.body)
        for expression in expressions(statement)
        for call in _calls(expression)
    ]


def _chosen(program: Program, call: ast.Call, point: Point, world: World) -> list[World]:
    """The worlds in which conditional expressions come to a call in them: ``x.cuda() if gpu else x``."""
    worlds = [world]
    around = [*path_to(point.statement, call), call]
    for outer, inner in pairwise(around):
        if isinstance(outer, ast.IfExp) and inner is not outer.test:
            wanted = inner is outer.body
            worlds = [
                w
                for each in worlds
                for result, w in program.evaluator.truth(outer.test, point, each)
                if result is wanted
            ]
    return worlds


def _calls(expression: ast.expr) -> Iterator[ast.Call]:
    """The calls in an expression that may name a device."""
    for node in walk(expression):
        if isinstance(node, ast.Call):
            last = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            named = any(keyword.arg in DEVICE_KEYWORDS for keyword in node.keywords)
            if named or last in MOVES or last.endswith("Tensor"):
                yield node


def _uses_gpu(program: Program, call: ast.Call, point: Point, world: World) -> bool:
    callees = [value for value, _ in program.evaluator.values(call.func, point, world)]
    if any(isinstance(callee, Function) for callee in callees):
        return False  # the program's own method of that name: what it does is looked at there
    if any(isinstance(callee, External) and makes_cuda_tensor(callee.name) for callee in callees):
        return True
    if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
        return True
    of_torch = any(isinstance(callee, External) and callee.name.startswith("torch") for callee in callees)
    moves = isinstance(call.func, ast.Attribute) and call.func.attr in MOVES
    if not (of_torch or moves):
        return False
    # Of an object of another library nobody knows what a number means.
    of_others = any(isinstance(callee, External) for callee in callees)
    given = [keyword.value for keyword in call.keywords if keyword.arg in DEVICE_KEYWORDS]
    given += call.args[:1] if moves else []
    return any(
        _may_be_cuda(program, value, w, of_torch or not of_others)
        for argument in given
        for value, w in program.evaluator.values(argument, point, world)
    )


def _may_be_cuda(program: Program, value: Value, world: World, numbered: bool = True) -> bool:
    """Whether a device is CUDA on this way; ``numbered``: where devices are told by their numbers as well, a
    number is that of a GPU."""
    if isinstance(value, Const):
        return is_cuda(value.value) or (numbered and is_number_of_gpu(value.value))
    if isinstance(value, Unknown):
        return numbered and value.key in program.evaluator.sites.ranks
    if isinstance(value, Made) and value.name == DEVICE:
        words = value.arguments.keywords
        given = value.arguments.positional[:1] or [words[name] for name in DEVICE_NAMES if name in words]
        return any(
            _may_be_cuda(program, name, w)
            for argument in given
            for name, w in program.evaluator.value_of(argument, world)
        )
    return isinstance(value, Made) and value.name == PRESENT_GPU and numbered


def _kept_out(point: Point) -> bool:
    """Whether a test around a place asks whether this is a worker."""
    for place in places_around(point):
        tests = [s.test for s in place.block[: place.at] if isinstance(s, ast.If)]
        if isinstance(place.owner, ast.If):
            tests.append(place.owner.test)
        if any(_ASKS_WHO.search(ast.unparse(test)) for test in tests):
            return True
    return False


def _found(program: Program, loader: Loader, visit: Visit, call: ast.Call) -> Found:
    what = _shown(call)
    module = visit.function.module
    where = f"{loader.module.relative}:{loader.call.lineno}"
    reach: tuple[ReachStep, ...] = visit.link.steps(what, module, call)
    return Found(
        module,
        call,
        f"{what} uses the GPU in worker code: forked workers cannot, once the parent has (RuntimeError)",
        "error",
        f"move the batch in the training loop (loader at {where})",
        both(with_workers(program, loader), "the parent has used the GPU before"),
        reach,
        by_hand="return CPU tensors; move each batch in the training loop, with pin_memory=True "
        "on the loader and batch.to(device, non_blocking=True)",
    )


def _shown(call: ast.Call) -> str:
    if not isinstance(call.func, ast.Attribute):
        return f"{ast.unparse(call.func)}(device=...)"
    for keyword in call.keywords:
        if keyword.arg in DEVICE_KEYWORDS:
            return f".{call.func.attr}({keyword.arg}={ast.unparse(keyword.value)})"
    if call.func.attr == "to" and call.args:
        return f".to({ast.unparse(call.args[0])})"
    return f".{call.func.attr}()"
