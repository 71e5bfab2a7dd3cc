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

from dlint.finding import ReachStep
from dlint.fork.gpu.bound import bound_on_gpu
from dlint.fork.gpu.calls import NEEDING, calls_in, kept_out, needs_gpu, pins
from dlint.fork.gpu.held import OnGpu, held_on_gpu, ways_with_workers
from dlint.fork.gpu.hidden import gpus_are_hidden
from dlint.fork.gpu.parent import default_on_gpu, parent_uses_gpu
from dlint.fork.start_method import STARTS_ANEW
from dlint.knowledge.processes.devices import (
    DEVICE_KEYWORDS,
    DEVICE_MAP,
    MAKERS,
    PIN,
    SET_DEFAULT,
)
from dlint.program.asked import for_entry, for_place, for_visit
from dlint.program.conditions import both, loaded, start_by_default
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import place
from dlint.source.statements import bare_name, dotted, statement_at
from dlint.values.frame import Point
from dlint.values.places import places_around
from dlint.workers.events import Visit, ways
from dlint.workers.uses import WorkerUse

_PLAIN = "set the default device to the CPU in worker_init_fn"


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
                (visit, *call) for visit in use.code.visits for call in calls_in(program, visit)
            ]
        worlds = ways_with_workers(use)
        needing = [
            each
            for each in places[id(use.code)]
            if any(needs_gpu(program, each[1], each[2], world) for world in worlds)
        ]
        kept = [
            held
            for held in (*held_on_gpu(program, use, worlds), *bound_on_gpu(program, use, worlds))
            if held.visit is None or not kept_out(_point_of(held.visit, held.node))
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
    told += call.args[:1] if bare_name(call.func) == "to" else []
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
        if not kept_out(event.point) and not _is_told_around(event.point):
            yield Found(
                event.module,
                call,
                f"{event.name}() makes its tensor on the GPU in worker code: forked workers cannot "
                "(RuntimeError)",
                "error",
                f"{_PLAIN} (it is set at {place(said.frame.module, said.statement)})",
                loaded(program, use, event),
                event.reach(),
                by_hand=f"{_PLAIN}: collating numbers makes tensors, too",
            )


def _is_told_around(point: Point) -> bool:
    """Whether a ``with torch.device(...)`` around a place says a device."""
    return any(
        isinstance(around.owner, ast.With) and "device(" in ast.unparse(around.owner.items[0])
        for around in places_around(point)
    )


def _point_of(visit: Visit, node: ast.expr) -> Point:
    return Point(visit.frame, statement_at(visit.function.node, node))


def _found(program: Program, use: WorkerUse, visit: Visit, call: ast.Call) -> Found:
    assert use.loader is not None
    what = _shown(call)
    module = visit.function.module
    where = f"{use.loader.module.relative}:{use.loader.call.lineno}"
    reach: tuple[ReachStep, ...] = visit.link.steps(what, module, call)
    forks = bare_name(call.func) == "fork_rng"
    advice = f"move the batch in the training loop (loader at {where})"
    by_hand = (
        "return CPU tensors; move each batch in the training loop, with pin_memory=True on the loader and "
        "batch.to(device, non_blocking=True)"
    )
    if pins(call):
        advice = f"leave it to the loader (pin_memory=True at {where})"
        by_hand = "return plain tensors, and give the loader pin_memory=True: it pins in the parent"
    elif any(keyword.arg == "map_location" for keyword in call.keywords):
        advice = "load it with map_location='cpu'"
        by_hand = f"{advice}, and move each batch in the training loop"
    elif forks:
        advice = by_hand = "give it devices=[]: the workers draw on the CPU"
    elif bare_name(call.func) in NEEDING:
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
    if bare_name(call.func) in NEEDING:
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
