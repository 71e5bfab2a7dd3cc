"""A lambda, local class, module, generator or other thing that pickle refuses is sent to workers.

## What it finds

A lambda, a function or class defined inside a function, or one defined under the main guard, that a loader
with workers has to send them: as `collate_fn` or `worker_init_fn`, as the dataset, or kept on the dataset or
on a transform that the dataset holds (`self.scale = lambda ...`, `transforms.Lambda(lambda ...)`), be it the
default of a parameter.

Also what a dataset or a transform of the program keeps and pickle refuses, whatever its name: a module
(`self.backend = importlib.import_module(name)`), a generator (`self.files = (path for path in ...)`), a view
of a dict (`self.keys = self.index.keys()`), a lock or event, a `struct.Struct`, what OpenCV makes to find,
match and equalise (`self.detector = cv2.ORB_create()`), a scripted module (`torch.jit.load`), a library of
ctypes, a client of boto3, MongoDB or Redis, a tree of lxml.

What never travels is fine: a lambda called in `__init__` and not kept, one made inside `__getitem__`, one
given to a sampler (samplers run in the parent), one that `__getstate__` leaves out, a loader without workers,
and workers that are forked because the project says so (`multiprocessing_context="fork"`,
`set_start_method("fork")` or dlint's option `start-method`). loky's workers are sent functions, classes,
modules and views of dicts by cloudpickle; of the rest they are refused what it refuses. Views are left alone
where the program uses `multiprocessing.Manager`, which teaches pickle to send them.

## Why is this bad

A forked worker inherits such objects. One started by spawn or by a fork server must be sent them by pickle,
which only knows functions and classes by their module-level name. As measured, when the loader is iterated:

- what is made inside a function: `AttributeError: Can't pickle local object '...<lambda>'`;
- a lambda of the module, or a default of a parameter: `PicklingError: Can't pickle <function <lambda> ...>:
  attribute lookup <lambda> on __main__ failed`;
- what only the main guard defines: the worker ends with `AttributeError: Can't get attribute`;
- a module, a generator, a view, a lock, an object of OpenCV: `TypeError: cannot pickle 'module' object`,
  `'generator' object`, `'dict_keys' object`, `'_thread.lock' object`, `'cv2.ORB' object`;
- a scripted module: `RuntimeError: Tried to serialize object`; a boto3 client: `PicklingError: Can't pickle
  <class 'botocore.client.S3'>`; a library of ctypes: `AttributeError: Can't pickle local object`.

Spawn is the default on macOS and Windows, forkserver on Linux from Python 3.14 on: code that ran for years
stops there.

## Example

```python
def make_loader(dataset, length):
    return DataLoader(dataset, num_workers=4, collate_fn=lambda batch: pad(batch, length))
```

Use instead:

```python
def pad_batch(batch, length):
    return pad(batch, length)


def make_loader(dataset, length):
    return DataLoader(dataset, num_workers=4, collate_fn=functools.partial(pad_batch, length=length))
```

## Fix safety

The function moves to the module; what it takes from the function around it is bound with
`functools.partial`. A partial looks a name up when it is made, a closure when it is called: so a name is
bound only where it surely has its value by then and keeps it, and of an object (`args.size`) only the entry
that is used, where nothing stores that later. A lambda that only hands its arguments on
(`lambda batch: collate(batch, size)`) gives way to what it calls. The function is left alone where attributes
of it are set, where it is compared with others, where it uses `self`, and where workers cannot be sent what
it needs either (a file, a lock, another lambda). Nor is a partial put where it would be another thing than a
function: on a class, whose objects would have it for a method, or where its name, its parameters or its type
are asked for.

Safe where the function is seen to be only called, wherever it goes: by the loader, by a transform, by the
dataset that keeps it. Unsafe where its identity, name or signature may matter to somebody, where an entry of
an object of unknown kind is read earlier, where something goes through all the names of the module, and where
the program copies deeply, which copies what is bound, too. A class must be moved by hand; what a module, a
generator or an object of a library is kept for, made in the worker.

## References

- https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled
- https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dlint.changes.around import Stays
from dlint.changes.hoisting import hoist
from dlint.finding import Remedy
from dlint.fork.shipped import Part, shipped
from dlint.fork.start_method import LOKY
from dlint.fork.unsendable import Kept, kept_unsendable
from dlint.loaders.loaders import Loader, is_zero
from dlint.program.program import Program
from dlint.project.main_guards import is_guarded
from dlint.rules.rule import Found
from dlint.source.closures import trail_to
from dlint.source.layout import functions_in
from dlint.source.module import Module
from dlint.values.frame import Frame
from dlint.values.values import Class, Function, Instance
from dlint.workers.sharing import by_dataset

_SUMMARY = "Move it to the module and bind what it needs with functools.partial"
_CLASS_BY_HAND = "define the class at module level; what it takes from the function becomes arguments"
_BREAKS = "workers that are not forked (Python 3.14 on Linux, macOS, Windows) cannot be sent it"
# What pickling says of what a function makes, what has no name to look up, what a worker does not define.
_LOCAL = "AttributeError: Can't pickle local object"
_NAMELESS = "PicklingError: Can't pickle <function <lambda> ...>: attribute lookup ... failed"
_GUARDED = "AttributeError: Can't get attribute"
_CURES = {
    "generator": "keep a list of what it gives, or make it where it is used",
    "module": "import it where it is used, or keep its name",
    "view of a dict": "keep the dict, or a list of what it gives",
}
_CURE = "make it where it is first used, in each process"


def check(program: Program) -> Iterator[Found]:
    """Everything that loaders with workers ship and that pickle cannot name."""
    for alike in by_dataset(program.uses):
        methods = [(use, program.start_method_of(use)) for use in alike if use.loader is not None]
        uses = [(use, method == LOKY) for use, method in methods if method != "fork"]
        if not uses:
            continue
        parts = program.shipped(uses[0][0])
        hazards = [hazard for part in parts if (hazard := _judged(part)) is not None]
        kept = [
            each
            for part in parts
            if part.pickled and isinstance(part.value, Instance)
            for each in kept_unsendable(program.evaluator, part.value, part.world)
        ]
        for use, by_loky in uses:
            assert use.loader is not None
            for each in kept:
                if not (by_loky and each.refused.by_loky):
                    yield _found_kept(each, use.loader, by_loky)
            if by_loky:
                continue  # functions and classes arrive, wherever they are defined
            if use.dataset is None:
                yield from _arguments(program, use.loader)
            for hazard in hazards:
                yield _found(program, hazard, use.loader)


@dataclass(frozen=True)
class _Hazard:
    """Something that pickle cannot name, where it is defined, and what to say of it and pickle says."""

    module: Module
    node: ast.Lambda | ast.FunctionDef | ast.ClassDef
    what: str
    error: str


def _arguments(program: Program, loader: Loader) -> Iterator[Found]:
    for name in ("collate_fn", "worker_init_fn"):
        written = loader.written(name)
        for way, world in loader.ways("num_workers", name):
            value = way[name]
            if value is not None and not is_zero(way["num_workers"]):
                for part in shipped(program.evaluator, value, name, world):
                    hazard = _judged(part)
                    if hazard is not None:
                        yield _found(program, hazard, loader, written)


def _judged(part: Part) -> _Hazard | None:
    """What pickle refuses, None where it can send a thing."""
    match part.value if part.pickled else None:
        case Function(node=ast.Lambda() as node) as function:
            scope = function.frame.scope
            if not isinstance(scope, ast.ClassDef) or _is_default(node, scope):
                error = _NAMELESS if isinstance(scope, ast.Module | ast.ClassDef) else _LOCAL
                return _Hazard(function.module, node, f"{part.place} is a lambda", error)
        case Function(receiver=None, owner=None, node=ast.FunctionDef() as node) as function:
            kind = _unreachable(function.frame, node)
            if kind is not None:
                what = f"{part.place} is {node.name}, a function {kind[0]}"
                return _Hazard(function.module, node, what, kind[1])
        case Instance(cls=Class() as cls):
            kind = _unreachable(cls.frame, cls.node)
            if kind is not None:
                what = f"{part.place} is made of {cls.name}, a class {kind[0]}"
                return _Hazard(cls.module, cls.node, what, kind[1])
    return None


def _is_default(node: ast.Lambda, scope: ast.ClassDef) -> bool:
    """Whether a lambda in a class is a parameter's default, and no method by its name."""
    return any(
        default is node
        for function in functions_in(scope.body)
        for default in (*function.args.defaults, *function.args.kw_defaults)
    )


def _unreachable(frame: Frame, node: ast.stmt) -> tuple[str, str] | None:
    """Why a worker cannot look a definition up by its name, and what it says; None where it can."""
    if isinstance(frame.scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return "defined inside a function", _LOCAL
    if isinstance(frame.scope, ast.Module) and is_guarded(frame, node):
        return "that only the main guard defines", _GUARDED
    return None


def _found(program: Program, hazard: _Hazard, loader: Loader, written: ast.expr | None = None) -> Found:
    """The finding where the thing is defined, or where a loader is ``written`` to get it by its name."""
    module: Module = hazard.module
    place: ast.expr | ast.stmt = hazard.node
    of_class = isinstance(hazard.node, ast.ClassDef)
    if (
        isinstance(written, ast.Name)
        and isinstance(hazard.node, ast.FunctionDef)
        and written.id == hazard.node.name
    ):
        module, place = loader.module, written
    cure = (
        "define it at module level"
        if of_class
        else "define a function at module level, with functools.partial"
    )
    where = f"{loader.module.relative}:{loader.call.lineno}"
    remedy, by_hand = _remedy(program, hazard, module)
    return Found(
        module,
        place,
        f'{hazard.what} (loader at {where}): {_BREAKS}: "{hazard.error}"; {cure}',
        remedy=remedy,
        by_hand=by_hand,
    )


def _found_kept(kept: Kept, loader: Loader, by_loky: bool) -> Found:
    where = f"{loader.module.relative}:{loader.call.lineno}"
    kind, sent_from = kept.refused.kind, kept.refused.sent_from
    cure = _CURES.get(kind, _CURE)
    breaks = _BREAKS
    if by_loky:
        breaks = "loky's workers cannot be sent it"
    elif sent_from:
        breaks = f"before Python {sent_from} workers that are not forked (macOS, Windows) cannot be sent it"
    return Found(
        kept.module,
        kept.node,
        f'{kept.attribute} is {_a(kind)} {kind} (loader at {where}): {breaks}: "{kept.refused.says}"; {cure}',
        by_hand=cure,
    )


def _a(kind: str) -> str:
    return "an" if kind[0] in "aeiou" else "a"


def _remedy(program: Program, hazard: _Hazard, module: Module) -> tuple[Remedy | None, str | None]:
    """The remedy, or why there is none and what to do."""
    if isinstance(hazard.node, ast.ClassDef):
        return None, _CLASS_BY_HAND
    trail = trail_to(hazard.module.tree, hazard.node)
    if trail is None or hazard.module is not module:
        return None, "define it at module level, and bind what it needs with functools.partial"
    try:
        plan = hoist(program, module, trail)
    except Stays as reason:
        return None, str(reason)
    return Remedy("hoist_callable", "safe" if plan.safe else "unsafe", _SUMMARY), None
