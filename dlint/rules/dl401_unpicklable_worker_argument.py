"""A lambda, local class, module, generator or other thing that pickle refuses is sent to workers.

## What it finds

A lambda, a function or class defined inside a function, under the main guard or in a notebook, that a loader
with workers has to send them: as `collate_fn` (a `Trainer`'s `data_collator`) or `worker_init_fn`, also where
the code behind the call or a loader class stores it (`loader.collate_fn = ...`), as the dataset, or kept on
the dataset or on a transform that the dataset holds (`self.scale = lambda ...`,
`transforms.Lambda(lambda ...)`, `dataset.steps.append(lambda ...)`, `dataset.add("crop", lambda ...)` where
the method puts it in a list or dict), be it the default of a parameter or a name of a class (`collate =
staticmethod(lambda ...)`). So do datasets of Hugging Face (`rows.with_transform(...)`,
`rows["train"].set_transform(...)`, what maps or filters a stream; dill is for their fingerprints only) and
the stages of a pipeline of webdataset's, but for those behind a `WebLoader`. A decorator's inner function is
one where it has not the name of what it decorates (`functools.wraps`). What is stored in a dataset, one of
torchvision's too, or in a transform before its loader is made, by a method (`dataset.set_scale(2)`), the
setter of a property or an assignment, is kept on it as well, and what was there before is not; so is what a
script sets on its options (`args.log = open(path, "w")`) of a dataset that keeps them (`self.args = args`).

Also what a dataset or a transform of the program keeps and pickle refuses, whatever its name: a module
(`self.backend = importlib.import_module(name)`), a generator (`self.files = (path for path in ...)`), a view
of a dict (`self.keys = self.index.keys()`), the entries of a folder (`sorted(os.scandir(root))`),
`sys.stdout`, a function that the constructor wraps in a cache (`self.load =
lru_cache(maxsize=64)(self.read)`), a lock or event, a `struct.Struct`, what OpenCV makes to find, match and
equalise (`self.detector = cv2.ORB_create()`), a scripted module (`torch.jit.load`), a library of ctypes, a
tree of lxml, a Parquet or Arrow file, one of safetensors (`safe_open`), a client of boto3 (or a bucket),
Google Cloud Storage, MinIO, MongoDB (or a collection), Redis, DuckDB, SQLAlchemy, Elasticsearch, gRPC, httpx
or aiohttp, a dict of weak references, a decompressor, a queue of threads (`queue.Queue`), a
`random.SystemRandom`, a `SummaryWriter`, a session of ONNX Runtime; and a file, archive or connection that is
open, or was, where worker code does not speak of it or it is opened to be written: of those that workers read
DL403 tells.

What never travels is fine: a lambda called in `__init__` and not kept, one made inside `__getitem__`, one put
in a list behind the last loop over the loader, or where the list is emptied again at once, one given to a
sampler (samplers run in the parent), one that `__getstate__` leaves out, a loader without workers, and
workers that are forked because the project says so (`multiprocessing_context="fork"`,
`set_start_method("fork")` or dlint's option `start-method`). loky's workers are sent functions, classes,
modules and views of dicts by cloudpickle; of the rest they are refused what it refuses. Views are left alone
where the program uses `multiprocessing.Manager`, which teaches pickle to send them.

## Why is this bad

A forked worker inherits such objects. One started by spawn or by a fork server must be sent them by pickle,
which only knows functions and classes by their module-level name. As measured, when the loader is iterated:

- what is made inside a function: `AttributeError: Can't pickle local object '...<lambda>'`;
- a lambda of the module, or a default of a parameter: `PicklingError: Can't pickle <function <lambda> ...>:
  attribute lookup <lambda> on __main__ failed`;
- what only the main guard or a notebook's cell defines: the worker ends with `AttributeError: Can't get
  attribute`;
- a module, a generator, a view, a lock, an object of OpenCV: `TypeError: cannot pickle 'module' object`,
  `'generator' object`, `'dict_keys' object`, `'_thread.lock' object`, `'cv2.ORB' object`;
- a function in a cache: `PicklingError: Can't pickle <functools._lru_cache_wrapper ...>: it's not the same
  object as ...`; a reader of Arrow files: `TypeError: no default __reduce__ due to non-trivial __cinit__`;
- a lambda that is a method of a class: the worker ends with `AttributeError: ... has no attribute
  '<lambda>'`;
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

## Level

- `error`, error: the project starts workers by spawn or forkserver, or declares Python from 3.14 on and sets
  nothing.
- `warning`, error: it says nothing: if workers are not forked (macOS, Windows, Python 3.14). Where it says
  fork there is no finding.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Safe where the function is seen to be only called, unsafe elsewhere (see below). It moves to the module; what
it takes from the function around it is bound with `functools.partial`. A partial looks a name up when it is
made, a closure when it is called: so a name is bound only where it surely has its value by then and keeps it,
and of an object (`args.size`) only the entry that is used, where nothing stores that later. A lambda that
only hands its arguments on (`lambda batch: collate(batch, size)`) gives way to what it calls, be it a method
of an object that workers can be sent and that holds no network (`lambda batch: self.pad(batch)`). The
function is left alone where attributes of it are set, where it is compared with others, and where workers
cannot be sent what it needs either (a file, a lock, another lambda). What it uses of `self` is bound where
only the constructor stores it, before any method runs; else the function becomes a method, of an object that
workers can be sent and that holds no network and no loader. Nor is a partial put where it would be another
thing than a function: on a class, whose objects would have it for a method, or where its name, its parameters
or its type are asked for.

Safe where the function is seen to be only called, wherever it goes: by the loader, by a transform, by the
dataset that keeps it. Unsafe where its identity, name or signature may matter to somebody, where an entry of
an object of unknown kind is read earlier, where something goes through all the names of the module, and where
the program copies deeply, which copies what is bound, too. Unsafe, too: an object of a library that does the
same wherever it is made (`cv2.createCLAHE`, a client of boto3), or a lock, becomes a property that makes one
in each process; a module that an object keeps is used by its name, or kept by the class, and of a generator
that is gone through in one place, of paths or numbers, a list is kept. A class moves to the module where it
takes nothing from the function around it, and has no attributes of its own that may change. What another
generator or object of a library is kept for, made in the worker, is left to you.

## References

- https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled
- https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlint.finding import Remedy
from dlint.fork.order import comes_before, is_never_sent
from dlint.fork.shipped import shipped
from dlint.fork.start_method import LOKY
from dlint.fork.unsendable import Kept, kept_in
from dlint.knowledge.processes.refused import GENERATOR, LOCK, MODULE
from dlint.loaders.loaders import Loader
from dlint.program.conditions import both, loaded, started_anew
from dlint.program.given import given_parts
from dlint.program.program import Program
from dlint.program.unpicklable.nameless import Nameless, nameless
from dlint.program.unpicklable.stored import is_replaced, refused_stores, stored_before
from dlint.project.main_guards import is_guarded
from dlint.rules.rule import Found
from dlint.rules.wording import place
from dlint.source.closures import trail_to
from dlint.source.notebooks import is_notebook
from dlint.values.values import Instance, Key
from dlint.workers.sharing import by_dataset
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

_SUMMARY = "Move it to the module and bind what it needs with functools.partial"
_CLASS_BY_HAND = "define the class at module level; what it takes from the function becomes arguments"
_CELL_BY_HAND = "move it to a module that the notebook imports"
_CURES = {
    "cached function": "decorate a function of the module, or wrap it where it is first used",
    "list of os.scandir's entries": "keep their paths",
    "standard stream": "ask for it where it is written to",
    "generator": "keep a list of what it gives, or make it where it is used",
    "module": "import it where it is used, or keep its name",
    "view of a dict": "keep the dict, or a list of what it gives",
    "view of an HDF5 file": "keep a list of what it gives",
}
_CURE = "make it where it is first used, in each process"


def check(program: Program) -> Iterator[Found]:
    """Everything that loaders with workers ship and that pickle cannot name."""
    suspects: dict[Key, bool] = {}

    def others() -> list[WorkerCode]:
        return list({id(use.code): use.code for use in program.uses if use.dataset is not None}.values())

    for alike in by_dataset(program.uses):
        methods = [(use, program.start_method_of(use)) for use in alike if use.loader is not None]
        uses = [(use, method == LOKY) for use, method in methods if method != "fork"]
        if not uses:
            continue
        codes = _codes_beside(program, alike)
        kept = [
            each
            for part in program.shipped(uses[0][0])
            if part.pickled and isinstance(part.value, Instance)
            for each in kept_in(program.evaluator, codes, part.value, part.world, others)
        ]
        for use, by_loky in uses:
            assert use.loader is not None
            for each in kept:
                if not (by_loky and each.refused.by_loky):
                    yield _found_kept(program, each, use, by_loky)
            if by_loky:
                continue  # functions and classes arrive, wherever they are defined
            if use.dataset is None:
                yield from _arguments(program, use, use.loader)
            parts = given_parts(program, use)
            later = refused_stores(program, parts, use, suspects)
            before = [each for each in later if comes_before(program.evaluator, each.point, use)]
            for part in parts:
                hazard = nameless(program.evaluator, part)
                if hazard is not None and not (
                    _is_never_sent(program, hazard, use.loader) or is_replaced(program, part, before, use)
                ):
                    yield _found(program, hazard, use)
            for stored in stored_before(program, before, use):
                yield from (_found(program, hazard, use) for hazard in stored.hazards)
                if stored.kept is not None:
                    yield _found_kept(program, stored.kept, use, by_loky, stored.cure)


def _codes_beside(program: Program, alike: Sequence[WorkerUse]) -> list[WorkerCode]:
    """The worker code of some uses; of those of a ``collate_fn`` that is a method of a dataset, also that of
    the loader's datasets: what goes along with it is read there."""
    codes = {id(alike[0].code): alike[0].code}
    for use in alike:
        if use.dataset is None and use.loader is not None:
            codes.update((id(each.code), each.code) for each in program.uses_of(use.loader))
    return list(codes.values())


def _arguments(program: Program, use: WorkerUse, loader: Loader) -> Iterator[Found]:
    for name in ("collate_fn", "worker_init_fn"):
        for value, world in loader.given_to_workers(name):
            for part in shipped(program.evaluator, value, loader.word_for(name), world):
                hazard = nameless(program.evaluator, part)
                if hazard is not None:
                    yield _found(program, hazard, use)


def _found(program: Program, hazard: Nameless, use: WorkerUse) -> Found:
    """The finding where the thing is defined."""
    remedy, by_hand = (None, hazard.cure) if hazard.cure else _remedy(program, hazard)
    cure = "write it as a def" if _is_lambda_of_module(program, hazard) else "define it at module level"
    if hazard.cure:
        cure = hazard.cure
    if is_notebook(hazard.module.path):
        remedy, by_hand = None, _CELL_BY_HAND
        cure = by_hand
    if remedy is not None and remedy.data.get("binds"):
        cure = "define it at module level, and bind what it needs with functools.partial"
    return Found(
        hazard.module,
        hazard.node,
        f"{hazard.what}: pickle cannot send it to workers",
        "error",
        f"{cure} ({_loader(use)})",
        both(loaded(program, use), started_anew(program, use)),
        remedy=remedy,
        by_hand=by_hand,
    )


def _is_never_sent(program: Program, hazard: Nameless, loader: Loader) -> bool:
    """Whether a thing that is put in a list where it is written is not there when the workers start."""
    trail = trail_to(hazard.module.tree, hazard.node) if isinstance(hazard.node, ast.Lambda) else None
    if trail is None:
        return False
    written = max(at for at, node in enumerate(trail) if isinstance(node, ast.stmt))
    point = program.evaluator.sites.point_of(hazard.module, trail[: written + 2])
    return is_never_sent(point, loader)


def _is_lambda_of_module(program: Program, hazard: Nameless) -> bool:
    """Whether the thing stands at module level as it is, and lacks only a name of its own."""
    trail = trail_to(hazard.module.tree, hazard.node) if isinstance(hazard.node, ast.Lambda) else None
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    if trail is None or any(isinstance(each, scopes) for each in trail[:-1]):
        return False
    statement = next(each for each in reversed(trail) if isinstance(each, ast.stmt))
    return not is_guarded(program.modules.frame(hazard.module), statement)


def _loader(use: WorkerUse) -> str:
    assert use.loader is not None
    return f"loader at {place(use.loader.module, use.loader.call)}"


def _found_kept(program: Program, kept: Kept, use: WorkerUse, by_loky: bool, cure: str = "") -> Found:
    kind, sent_from = kept.refused.kind, kept.refused.sent_from
    when = None if by_loky else started_anew(program, use)
    if sent_from and not by_loky:
        older = f"Python is older than {sent_from}"
        when = both(older, when and "workers are not forked (macOS, Windows)")
    sender, workers = ("cloudpickle", "loky's workers") if by_loky else ("pickle", "workers")
    # What a cure of its own is for is stored in something else than the object that workers get.
    remedy = _of_kept(kept) if not cure and not is_notebook(kept.module.path) else None
    cure = cure or _CURES.get(kind, _CURE)
    return Found(
        kept.module,
        kept.node,
        f"{kept.attribute} is {_a(kind)} {kind}: {sender} cannot send it to {workers}",
        "error",
        f"{cure} ({_loader(use)})",
        both(loaded(program, use), when),
        remedy=remedy,
        by_hand=None if remedy is not None else cure,
    )


def _of_kept(kept: Kept) -> Remedy | None:
    """The remedy for something of a kind that pickle refuses, None where there is none."""
    if kept.refused.alike:
        return Remedy("handle_per_process", "unsafe", "Make it in each process", {"kind": "object"})
    if kept.refused.kind == LOCK.kind:
        return Remedy("handle_per_process", "unsafe", "Make it in each process", {"kind": "lock"})
    if kept.refused == MODULE:
        return Remedy("keep_sendable", "unsafe", "Use the module by its name", {"kind": "module"})
    if kept.refused.kind == GENERATOR.kind:
        return Remedy("keep_sendable", "unsafe", "Keep a list of what it gives", {"kind": "generator"})
    return None


def _a(kind: str) -> str:
    return "an" if kind[0] in "aeiouAEIO" or (kind[:2].isupper() and kind[0] in "FHLMNRSX") else "a"


def _remedy(program: Program, hazard: Nameless) -> tuple[Remedy | None, str | None]:
    """The remedy, or why there is none and what to do."""
    trail = trail_to(hazard.module.tree, hazard.node)
    if trail is None:
        return None, _CLASS_BY_HAND if isinstance(hazard.node, ast.ClassDef) else None
    # What a change of the text takes is asked where there is one to make, and most programs need none.
    from dlint.changes.hoisting.around import Stays
    from dlint.changes.hoisting.of_class import check_class
    from dlint.changes.hoisting.plan import hoist

    if isinstance(hazard.node, ast.ClassDef):
        try:
            check_class(hazard.module, trail)
        except Stays as reason:
            return None, str(reason)
        return Remedy("hoist_class", "unsafe", "Move it to the module"), None
    try:
        plan = hoist(program, hazard.module, trail)
    except Stays as reason:
        return None, str(reason)
    summary = _SUMMARY if plan.bound else "Move it to the module"
    if plan.receiver is not None:
        summary = "Make it a method"
    if plan.existing is not None:
        summary = f"Give {ast.unparse(plan.existing.function)} in its place"
    if _is_lambda_of_module(program, hazard):
        summary = "Write it as a def"
    data = {"binds": bool(plan.bound)}
    return Remedy("hoist_callable", "safe" if plan.safe else "unsafe", summary, data), None
