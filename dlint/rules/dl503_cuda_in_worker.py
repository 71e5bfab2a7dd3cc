"""Worker code uses the GPU.

## What it finds

In worker code (`__getitem__`, `collate_fn`, transforms and whatever these reach in any file) of a loader with
workers:

- `.cuda()`, `.to(device)`, `device=...` or `torch.cuda.FloatTensor(...)`, be it by another name, where the
  device is CUDA: written there, or by some way in which the program makes it, such as
  `torch.device("cuda" if torch.cuda.is_available() else "cpu")`, by the default of an option, also of a
  dataclass that the command line fills, by a setting (`_C.DEVICE = "cuda"` of yacs, `device: cuda` of Hydra),
  by what stands beside a variable of the environment (`os.getenv("DEVICE", "cuda")`),
  or by what was put on the GPU before (`model.device`, also with `device_map="auto"`), or by a library that
  loads a network there (`clip.load(name, device=device)`). `Accelerator().device` and that of Lightning's
  `Fabric` are a GPU wherever there is one, unless they are told otherwise; so are
  `torch.accelerator.current_accelerator()` and the `device` of a LightningModule, as long as no trainer in
  the project is told to stay on the CPU. A number is a GPU's (`device=0`, `.to(0)`), and so is the rank that
  `mp.spawn` passes to what it starts.
- Tensors and networks that the parent has put on the GPU, and worker code reads or runs: in an attribute of
  the dataset or of a transform (also a buffer that a module registers), as a part of one
  (`Compose([ToTensor(), blur])`), as the transform of torchvision's datasets, in a name of a module, or as
  the data of a `TensorDataset`. So is what the
  parent made of them: `rows.mean(0)`, `torch.cat(features)`, and what a network on the GPU gave
  (`features.append(net(x))`), until it is brought back: `.cpu()`, `.item()`, `.tolist()`. What is made
  without a device under `with torch.device("cuda"):` is there, and so is a network that is moved after a
  dataset got it, before the loader is made (a network moves where it is), and what a method puts there that
  is called on the dataset (`data.to(device)`) before the loader is made, in the same function, under no test.
- Networks on the GPU of which the loader is given a method (`collate_fn=encoder.collate`), or of which worker
  code calls one (`self.encoder.embed(image)`), where that runs a
  layer of the network, or moves something to where its parameters are
  (`batch.to(next(self.parameters()).device)`, also as a property).
- Tensors that are made without a device (`torch.zeros(3)`) where the parent has said that this is the GPU:
  `torch.set_default_device("cuda")`, `torch.set_default_tensor_type("torch.cuda.FloatTensor")`.
- `.pin_memory()` and `pin_memory=True` of torch's functions, and what asks the GPU:
  `torch.cuda.set_device()`, `synchronize()`, `get_rng_state()` and others; `torch.random.fork_rng()` without
  `devices=[]`.

Left alone are a device that is the CPU by every construction, one that a method sets (`Rows().on("cuda")`) on
other objects alone than those that workers have, `.to(x.device)`, also of what is told of itself
(`.to(self.mean.device)`), a device that cannot be followed, the
shape, type and device of what is on the GPU, loaders whose `num_workers` is 0 where the device is CUDA, code
that asks whether it runs in a worker, workers that the project starts by spawn or forkserver (not only for
who asks for that by an option that is off by default), and programs that hide all GPUs
(`os.environ["CUDA_VISIBLE_DEVICES"] = ""`). So are `manual_seed_all()`, `is_available()`, `device_count()`
and `empty_cache()`, which work in forked workers.

Not followed are networks that are moved there once there is a loader, what the parent makes on a default
device, and what is collated to one.

## Why is this bad

CUDA does not survive a fork. Once the main process has used the GPU (the model is there already), a forked
worker that uses it fails: `RuntimeError: Cannot re-initialize CUDA in forked subprocess`, or
`CUDA error: initialization error` for what was on the GPU before. Measured with torch 2.11 on an H100:
`torch.cuda.is_available()` in the main process is enough, and so is `pin_memory=True`; where the loop moves
the batches to the GPU, the second epoch fails. Where the default device is the GPU, collating numbers and
NumPy arrays fails too, and a `worker_init_fn` that sets it to the CPU cures all of it. Where the main process
never uses the GPU, each worker opens a context of its own, which takes memory there.

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

Where all data fits on the GPU, put it there and leave out `num_workers`: workers would have nothing to do.

## Level

- `error`, error: the parent is seen to use the GPU, or to ask `torch.cuda.is_available()`.
- `warning`, error: if the parent has used the GPU before the workers are forked, and is not seen to.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

No remedy: the move to the GPU belongs in the training loop, which may be anywhere.

## References

- https://pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
- https://pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from dlint.evaluation.marks import OF_ALL
from dlint.finding import ReachStep
from dlint.fork.gpu.bound import bound_on_gpu
from dlint.fork.gpu.held import OnGpu, held_on_gpu, ways_with_workers
from dlint.fork.gpu.hidden import gpus_are_hidden
from dlint.fork.gpu.other_objects import is_told_to_others
from dlint.fork.gpu.parent import default_on_gpu, parent_uses_gpu
from dlint.fork.gpu.placed import uses_gpu
from dlint.fork.gpu.told import may_name_device
from dlint.fork.start_method import STARTS_ANEW
from dlint.knowledge.processes.devices import (
    DEVICE_KEYWORDS,
    DEVICE_MAP,
    FORK_RNG,
    FORK_RNG_TOLD,
    MAKERS,
    NEED_GPU,
    PIN,
    SET_DEFAULT,
    TYPED,
    makes_tensor,
)
from dlint.knowledge.tensors import is_number_type
from dlint.program.asked import for_entry, for_place, for_visit
from dlint.program.conditions import both, loaded, start_by_default
from dlint.program.program import Program
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.rules.wording import place
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, dotted, expressions, statement_at, statements_in
from dlint.values.frame import Point
from dlint.values.places import path_to, places_around
from dlint.values.values import Const, External, Function
from dlint.values.worlds import World
from dlint.workers.events import Visit, ways
from dlint.workers.uses import WorkerUse

# A test that speaks of these may keep workers out, or the CPU's tensors, which theirs are.
_ASKS_WHO = regex(
    r"worker|start_method|parent_process|current_process|bad_fork|is_cuda|\b(?!self\b)\w+\.device\b"
)
_PLAIN = "set the default device to the CPU in worker_init_fn"
# Words without which no call says a device, or needs the GPU.
_TELLING = ("cuda", *DEVICE_KEYWORDS, ".to(", f".{TYPED}(", "Tensor(", PIN, "fork_rng")
_NEEDING = frozenset(name.rpartition(".")[2] for name in NEED_GPU | FORK_RNG)


def check(program: Program) -> Iterator[Found]:
    """Tensors that worker code makes on, or moves to, a GPU, and those that it has from the parent there."""
    places: dict[int, list[tuple[Visit, ast.Call, Point]]] = {}
    for use in program.uses:
        if (
            use.loader is None
            or start_by_default(program, use) in STARTS_ANEW
            or gpus_are_hidden(program, use)
        ):
            continue
        if id(use.code) not in places:
            places[id(use.code)] = [
                (visit, *call) for visit in use.code.visits for call in _in_function(program, visit)
            ]
        worlds = ways_with_workers(use)
        needing = [
            each
            for each in places[id(use.code)]
            if any(_needs_gpu(program, each[1], each[2], world) for world in worlds)
        ]
        kept = [
            held
            for held in (*held_on_gpu(program, use, worlds), *bound_on_gpu(program, use, worlds))
            if held.visit is None or not _kept_out(_point_of(held.visit, held.node))
        ]
        for visit, call, point in needing:
            if not _goes_after(program, visit, call, point, needing, kept):
                yield _found(program, use, visit, call)
        yield from _by_default(program, use)
        for held in kept:
            yield _found_held(program, use, held)


def _goes_after(
    program: Program,
    visit: Visit,
    call: ast.Call,
    point: Point,
    needing: list[tuple[Visit, ast.Call, Point]],
    kept: list[OnGpu],
) -> bool:
    """Whether a call takes the device of what is said to be on the GPU by findings of their own: put right,
    these put it right as well."""
    told = [word.value for word in call.keywords if word.arg == "device"]
    told += call.args[:1] if _last(call) == "to" else []
    match told:
        case [ast.Attribute(value=of, attr="device")]:
            text = ast.unparse(of)
            if any(
                held.visit is not None
                and held.visit.function.node is visit.function.node
                and ast.unparse(held.node) == text
                for held in kept
            ):
                return True
            program.evaluator.start()
            made = [
                getattr(value, "node", None) for value, _ in program.evaluator.values(of, point, visit.world)
            ]
            return bool(made) and all(any(node is each for _, each, _ in needing) for node in made)
    return False


def _by_default(program: Program, use: WorkerUse) -> Iterator[Found]:
    """Tensors that worker code makes on no device that it tells, where the parent has said the GPU."""
    made = [
        (event, event.node)
        for event in use.code.events
        if event.name in MAKERS
        and isinstance(event.node, ast.Call)
        and not any(keyword.arg in ("device", None) for keyword in event.node.keywords)
    ]
    said = default_on_gpu(program, use) if made else None
    if said is None or said.statement is None or use.loader is None:
        return
    own = [event.name for each in program.uses_of(use.loader) for event in each.code.events]
    if not SET_DEFAULT.isdisjoint(own):
        return
    for event, call in made:
        if not _kept_out(event.point) and not _is_told_around(event.point):
            yield Found(
                event.module,
                call,
                f"{event.name}() makes its tensor on the GPU in worker code: forked workers cannot "
                "(RuntimeError)",
                "error",
                f"{_PLAIN} (it is set at {place(said.frame.module, said.statement)})",
                loaded(program, use, event),
                event.link.steps(event.name, event.module, call),
                by_hand=f"{_PLAIN}: collating numbers makes tensors, too",
            )


def _is_told_around(point: Point) -> bool:
    """Whether a ``with torch.device(...)`` around a place says a device."""
    return any(
        isinstance(around.owner, ast.With) and "device(" in ast.unparse(around.owner.items[0])
        for around in places_around(point)
    )


def _in_function(program: Program, visit: Visit) -> Iterator[tuple[ast.Call, Point]]:
    """The calls of a worker's function that use the GPU, one a statement, with where they stand."""
    node = visit.function.node
    mark = ("calls that may name a device", id(node))
    if mark not in program.answers:  # every worker code comes to the same functions
        program.answers[mark] = [
            (call, statement)
            for call, statement in _candidates(node, visit.function.module.text_of(node))
            if not _enters_program(program, call, Point(visit.frame, statement))
        ]
    candidates: list[tuple[ast.Call, ast.stmt | None]] = program.answers[mark]
    told: set[int] = set()
    for call, statement in candidates:
        point = Point(visit.frame, statement)
        program.evaluator.start()
        worlds = (
            program.evaluator.flow.reaching(point, visit.world) if id(point.statement) not in told else []
        )
        worlds = [w for world in worlds for w in _chosen(program, call, point, world)]
        if any(_needs_gpu(program, call, point, world) for world in worlds) and not _kept_out(point):
            told.add(id(point.statement))
            yield call, point


def _enters_program(program: Program, call: ast.Call, point: Point) -> bool:
    """Whether a call, whoever calls the function that it stands in, is of functions of the program: what they
    do is looked at there."""
    program.evaluator.start()
    mark = program.evaluator.marks.of(call.func, point)
    if not (isinstance(mark, tuple) and mark[0] in OF_ALL):
        return False
    callees = [value for value, _ in program.evaluator.values(call.func, point)]
    return bool(callees) and all(isinstance(callee, Function) for callee in callees)


def _candidates(node: FunctionNode | ast.Lambda, text: str) -> list[tuple[ast.Call, ast.stmt | None]]:
    """The calls of a function that may name a device, each with its statement."""
    if not any(word in text for word in _TELLING):
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
    """The calls in an expression that may use the GPU."""
    for node in walk(expression):
        if isinstance(node, ast.Call) and (
            (may_name_device(node) and not _only_types(node)) or _pins(node) or _last(node) in _NEEDING
        ):
            yield node


def _only_types(call: ast.Call) -> bool:
    """Whether what ``to`` is told, as it is written, is a type of torch's, or the CPU."""
    match call:
        case ast.Call(func=ast.Attribute(attr="to"), args=[told], keywords=[]):
            name = dotted(told) or ""
            of_torch = name.startswith("torch.") and is_number_type(name.rpartition(".")[2])
            return of_torch or (isinstance(told, ast.Constant) and told.value == "cpu")
    return False


def _pins(call: ast.Call) -> bool:
    return _last(call) == PIN or any(keyword.arg == PIN for keyword in call.keywords)


def _last(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _needs_gpu(program: Program, call: ast.Call, point: Point, world: World) -> bool:
    """Whether a call uses the GPU: it puts something there, pins memory, or asks torch for what is there."""
    evaluator = program.evaluator
    if may_name_device(call) and uses_gpu(evaluator, call, point, world):
        return not is_told_to_others(program, call, point)
    callees = [value for value, _ in evaluator.values(call.func, point, world)]
    if _last(call) == PIN:
        return isinstance(call.func, ast.Attribute) and not any(isinstance(c, Function) for c in callees)
    names = [callee.name for callee in callees if isinstance(callee, External)]
    if any(name in NEED_GPU for name in names):
        return True
    if not FORK_RNG.isdisjoint(names):
        return not (call.args or any(keyword.arg in FORK_RNG_TOLD for keyword in call.keywords))
    return any(makes_tensor(name) for name in names) and any(
        isinstance(value, Const) and value.value is True
        for keyword in call.keywords
        if keyword.arg == PIN
        for value, _ in evaluator.values(keyword.value, point, world)
    )


def _point_of(visit: Visit, node: ast.expr) -> Point:
    return Point(visit.frame, statement_at(visit.function.node, node))


def _kept_out(point: Point) -> bool:
    """Whether a test around a place asks whether this is a worker."""
    for around in places_around(point):
        tests = [s.test for s in around.block[: around.at] if isinstance(s, ast.If)]
        if isinstance(around.owner, ast.If):
            tests.append(around.owner.test)
        if any(_ASKS_WHO.search(ast.unparse(test)) for test in tests):
            return True
    return False


def _found(program: Program, use: WorkerUse, visit: Visit, call: ast.Call) -> Found:
    assert use.loader is not None
    what = _shown(call)
    module = visit.function.module
    where = f"{use.loader.module.relative}:{use.loader.call.lineno}"
    reach: tuple[ReachStep, ...] = visit.link.steps(what, module, call)
    pins = _pins(call)
    forks = _last(call) == "fork_rng"
    advice = f"move the batch in the training loop (loader at {where})"
    by_hand = (
        "return CPU tensors; move each batch in the training loop, with pin_memory=True on the loader and "
        "batch.to(device, non_blocking=True)"
    )
    if pins:
        advice = f"leave it to the loader (pin_memory=True at {where})"
        by_hand = "return plain tensors, and give the loader pin_memory=True: it pins in the parent"
    elif any(keyword.arg == "map_location" for keyword in call.keywords):
        advice = "load it with map_location='cpu'"
        by_hand = f"{advice}, and move each batch in the training loop"
    elif forks:
        advice = by_hand = "give it devices=[]: the workers draw on the CPU"
    elif _last(call) in _NEEDING:
        advice = f"do it in the training loop (loader at {where})"
        by_hand = "ask the GPU in the parent, outside worker code"
    return Found(
        module,
        call,
        f"{what} uses the GPU in worker code: forked workers cannot, once the parent has (RuntimeError)",
        "error",
        advice,
        both(
            loaded(program, use),
            for_entry(program, use, visit.role, ways(visit)),
            for_visit(program, visit, call),
            None if parent_uses_gpu(program, use) else "the parent has used the GPU before",
        ),
        reach,
        by_hand=by_hand,
    )


def _found_held(program: Program, use: WorkerUse, held: OnGpu) -> Found:
    """What to say of something that the parent has put on the GPU, at what put it there."""
    assert use.loader is not None
    module = held.put.point.frame.module
    where = f"{use.loader.module.relative}:{use.loader.call.lineno}"
    reach: tuple[ReachStep, ...] = ()
    if held.visit is not None:
        reach = held.visit.link.steps(ast.unparse(held.node), held.visit.function.module, held.node)
    advice = "keep it on the CPU, or give the loader num_workers=0"
    by_hand = (
        "keep it on the CPU and move each batch in the training loop; where all data is on the GPU already, "
        "workers are of no use: num_workers=0"
    )
    if held.runs:
        advice = "run it on the batch in the training loop"
        by_hand = f"{advice}, or run it once over all items and keep what it gives on the CPU"
    elif isinstance(held.node, ast.Call):  # what moves something to where it is
        advice = "move the batch in the training loop"
        by_hand = f"return CPU tensors, and {advice}"
    return Found(
        module,
        held.put.call,
        f"{held.name} is on the GPU ({_shown(held.put.call)}): forked workers cannot use it (RuntimeError)",
        "error",
        f"{advice} (loader at {where})",
        both(loaded(program, use), for_place(program, held.put.point, held.put.call)),
        reach,
        by_hand=by_hand,
    )


def _shown(call: ast.Call) -> str:
    """What a reader calls a call: ``.to(device)``, ``torch.zeros(device=device)``."""
    name = ast.unparse(call.func)
    if _last(call) in _NEEDING:
        return f"{name}()"
    if any(keyword.arg == PIN for keyword in call.keywords):
        return f"{name}({PIN}=True)"
    if not isinstance(call.func, ast.Attribute):
        told = any(keyword.arg in DEVICE_KEYWORDS for keyword in call.keywords)
        return f"{name}(device=...)" if told else f"{name}()"
    name = name if (dotted(call.func) or "").startswith("torch.") else f".{call.func.attr}"
    for keyword in call.keywords:
        if keyword.arg in (*DEVICE_KEYWORDS, DEVICE_MAP):
            return f"{name}({keyword.arg}={ast.unparse(keyword.value)})"
    if call.func.attr == "to" and call.args:
        return f".to({ast.unparse(call.args[0])})"
    return f"{name}()"
