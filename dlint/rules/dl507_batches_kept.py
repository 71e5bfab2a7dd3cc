"""Batches that workers have sent are kept, each with a file open.

## What it finds

Tensors of a loader with workers that outlive their round: put into a list or dict that the loop fills
(`kept.append(batch)`, `targets.append(labels)`, `features[step] = batch[0]`, `kept += [labels]`,
`kept = kept + [labels]`, `kept = [*kept, labels]`, `kept.insert(0, labels)`,
`kept.extend(y.cpu() for y in labels)`, `kept.extend(zip(x, y))`, `kept.setdefault("y", []).append(y)`, a
function that does nothing else with what it is given (be the list one of its module, or of the function
around it, that nothing empties), a
method that puts it into a list of its object, or a part of it (`self.rows.append((output, batch["y"]))`), or
each of several into one: `meter.update(output, y)`, `meter.update(y=y)` that goes through its keywords (in a
loop or `{k: v.cpu() for k, v in tensors.items()}`), be that of each of some callbacks, or called by a method
that the loop calls, or one that a `defaultdict` of such objects has under some key; a named tuple or
dataclass of what is kept; what a function gives that has a part of the batch in it,
`outputs.append(step(model, batch))`; a list that each round makes anew, filled and then kept), or gathered at
once (`list(loader)`, `dict(enumerate(loader))`, `[*loader]`, `zip(*loader)`,
`torch.cat([labels for _, labels in loader])`), or by `itertools.cycle(loader)`, which keeps the batches of
the first epoch and gives them again. What shares a batch's memory is followed: `batch[0]`, `batch.pop("y")`,
`batch.y` of an object of the project or one of torch_geometric's batches (no property: it may give a copy;
nor once it was told or given to something that may store in it, as `batch.to(device)` does), `.detach()`,
`.cpu()`, `.numpy()`, `.view(...)`, `torch.unbind(y)`, `list(y)`, `[*y]`, `Variable(y)`,
`images, labels = batch`, `*_, labels = batch`, `{k: v.cpu() for k, v in batch.items()}`, `batch[key]` in a
loop through keys that are written out (`for key in ("labels", "ids")`), and what a loop inside goes through
(`for target in targets:`, `zip(targets, outputs)`, `batch.items()`), unless that loop may end early; so is a
generator that hands every batch on (`logger.log_every(loader, 10)`), or a part of it (`yield model(x), y`),
what ignite's `Engine` does that runs over a loader, or a loop that asks an iterator for each
(`batch = next(batches)`): one over another loader, up to `len(loader)` or a large number, or until there is
none. A batch under whose keys something else was stored still holds what is under the others.

An entry counts where its key is another one in each round: what counts the rounds (`enumerate`, `step += 1`),
a part of the batch itself, or the number of one that is called as what tells items apart
(`image_id.item()`) or that is what the dataset's items were asked for by (`return image, index`).
`slots[step % 20]` and an example of each label are overwritten.

A copy is fine: `.clone()`, numbers (`.item()`, `.tolist()`, `extend(labels.numpy())`, unless its rows surely
are arrays, as the items' `torch.zeros(17, 3)` shows), what a model or a sum makes of the batch,
`labels.to(device)`, also where it takes the place of an entry (`batch[key] = batch[key].to(device)`,
`batch.update(...)`, by a helper as well). So are loops that end early (not only where somebody asks for it,
`if args.debug: break`, or where a batch cannot be used) or keep now and then (`rank == 0` and `mode == "val"`
are the same in all rounds, and so is the `phase` of a loop around, and `step > 3` lets all through from one
on), `islice`, lists that the loop empties, or a function that it hands them to, objects of which it calls
other methods where the class has one that empties or sets anything (`meter.reset()`), a loader that surely
gives fewer than 900 tensors, one without workers, one with `pin_memory` or prepared by accelerate, Lightning
Fabric or torch_xla, whose batches are copies, programs that choose the sharing strategy `file_system` or set
their limit of open files, and tests (not a `test_net.py` that has no test and is started as a script).

What nothing shows to be tensors (names of files, also in `np.asarray(names)`) is left alone: neither the
dataset's items, be it behind a `collate_fn` of the project that hands some on (`images, targets =
zip(*batch)`, `[item["boxes"] for item in batch]`), nor what that returns (as a tokenizer that is told
`return_tensors="pt"` does, and transformers' collators), nor what the code does with it
(`images.to(device)`, `torch.cat(kept)`, `[{k: v.to(device) for k, v in t.items()} for t in targets]`, which
tells of each `t["boxes"]` as well, also where another function keeps it).

## Why is this bad

On Linux workers send a tensor as a file descriptor of shared memory, which stays open in the main process for
as long as something uses the memory. 1,024 open files is the usual limit. As measured, 4 of 4 spellings
(`batch`, `batch[0]`, `batch.numpy()`, `batch.detach().cpu()`) end after some 1,000 tensors with
`RuntimeError: Too many open files. Communication with the workers is no longer possible`; older torch says
`received 0 items of ancdata`. So it works with the small set and fails with the large one, or with smaller
batches.

`.cpu()` of a tensor that is on the CPU copies nothing, nor does `.numpy()`, `.detach()`, `.contiguous()`,
`.float()` of what is float32 already, `.long()` of what is int64 (as torch collates Python's whole numbers):
these are reported where the dataset shows the type.

## Example

```python
targets = []
for images, labels in loader:
    outputs.append(model(images))
    targets.append(labels)
```

Use instead:

```python
targets = []
for images, labels in loader:
    outputs.append(model(images))
    targets.append(labels.clone())
```

or `torch.multiprocessing.set_sharing_strategy("file_system")` at the start of the program, which keeps no
file open, and leaves shared memory behind where a program is killed.

## Level

- `error`, error: the loader surely gives more tensors than files may be open.
- `warning`, error: how many it gives is not known, or workers come only under a condition: an option for the
  number of workers that is 0 by default, or a loader in a function that nothing in the project calls; or the
  batches are kept for those only who ask for it (`if args.save:`).

## Fix safety

Unsafe: `.clone()`, and `.copy()` of what is NumPy's array under its name already, takes memory of its own,
where the same memory was kept before. What holds tensors and may be no tensor itself (a whole batch of
several parts, `list(loader)`), and a name that is an array on some ways only, is left to you.

## References

- https://pytorch.org/docs/stable/multiprocessing.html#file-descriptor-file-descriptor
- https://github.com/pytorch/pytorch/issues/11201
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.tensors import JOINS
from dlint.loaders.counts import most_batches
from dlint.loaders.iteration import Iterations
from dlint.loaders.loaders import Loader
from dlint.program.asked import for_place
from dlint.program.conditions import both, with_workers
from dlint.program.program import Program
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.rules.wording import brief, listed, place
from dlint.source.nodes import walk
from dlint.streams.batches.collating.fields import field_kinds
from dlint.streams.batches.collating.tensors import Holding
from dlint.streams.batches.keepings import (
    FEW,
    GATHERS,
    LOADER,
    Keeping,
    is_cycle,
    keepings,
    may_be_loader,
    sends_files,
)
from dlint.streams.batches.kinds import has_type, kind_of
from dlint.streams.batches.put_by_helpers import Asked
from dlint.streams.batches.spot import Spot
from dlint.streams.memory.places import Values, View
from dlint.values.values import NONE, Items, Made, Table, Unknown, Value

# All of something written out: ``[*loader]``, ``zip(*loader)``.
_SPREADS = regex(r"[\[(,=]\s*\*\s*([\w.]{1,200})")
# A file that goes through a loader calls something so: one of these, or what the pattern finds.
_LOADERS = (
    *("Loader", "loader", "LOADER"),
    *(f"{split}_{kind}" for split in ("data", "train", "val", "test", "eval") for kind in ("iter", "gen")),
)
_DL = regex(rb"dl(?<![A-Za-z]dl)(?![A-Za-z])")
_WORDS = ("for", "while", "zip", "ignite", *GATHERS)
# So many tensors are too many whatever else a program has open.
_LIMIT = 1024
# What makes one thing of a list, into which nothing can be put any more.
_JOINTS = JOINS | {
    f"numpy.{name}" for name in ("array", "asarray", "concatenate", "hstack", "stack", "vstack")
}
_COPY = "keep a copy (.clone()) or numbers (.item(), .tolist())"
_COPY_ARRAYS = "keep a copy (.copy()) or numbers (.tolist())"
_COPY_EITHER = "keep a copy (.clone(), of an array .copy()) or numbers (.item(), .tolist())"
_AGAIN = "write a generator, which keeps none and shuffles anew: while True: yield from {}"
_MANY = "some 1,000 of them are kept"
_LONGEST = 30


def check(program: Program) -> Iterator[Found]:
    """Everything that a program keeps of the batches that workers send it."""
    if not any(sends_files(loader) for loader in program.loaders):
        return
    iterations = Iterations(program)
    index = program.modules.index
    speaking = {file for word in _LOADERS for file in index.mentioning(word)}
    abbreviating = set(index.mentioning("dl"))
    files = sorted(
        relative
        for relative in {file for word in _WORDS for file in index.mentioning(word)}
        if program.mine(relative)
        and not index.is_test(relative)
        and (relative in speaking or (relative in abbreviating and _DL.search(index.data(relative))))
    )
    for module in program.modules.each(files):
        calls = [line for name in GATHERS for line in module.lines_with(name, called=True)]
        calls += [
            line
            for line, text in enumerate(module.lines, 1)
            if "*" in text and any(LOADER.search(name) for name in _SPREADS.findall(text))
        ]
        calls += module.lines_with("run", called=True) if "ignite" in module.text else []
        calls += module.lines_with("while") if module.lines_with("next", called=True) else []
        for trail in module.trails_at([*module.lines_with("for"), *calls]):
            statement = trail[-1]
            if not isinstance(statement, ast.stmt) or isinstance(statement, ast.ClassDef | ast.FunctionDef):
                continue
            spot = Spot(program.evaluator, program.answers, module, trail)
            for keeping in keepings(program, spot, iterations, statement):
                found = _judged(program, iterations, keeping, spot)
                if found is not None:
                    yield found


def _fills(spot: Asked, into: ast.expr) -> bool:
    """Whether what a loop puts things into is a list or dict, as it is before the loop."""
    is_entry = isinstance(into, ast.Subscript)
    while isinstance(into, ast.Subscript):
        into = into.value
    values = spot.values(into)
    # What the list is before the first round or joined to in the end is not filled.
    known = [each for each in values if not isinstance(each, Unknown)]
    known = [each for each in known if is_entry or not _cannot_be_filled(each)]
    return bool(known) and all(
        _is_container(value) and not (is_entry and _has_others(value)) for value in known
    )


def _has_others(value: Value) -> bool:
    """Whether the entries of a container are no lists or dicts: ``defaultdict(lambda: deque(maxlen=9))``."""
    match value:
        case Table(items=items):
            return any(isinstance(each, Made) and not _is_container(each) for each in items.values())
        case Items(items=parts):
            return any(isinstance(each, Made) and not _is_container(each) for each in parts)
        case Made(name="collections.defaultdict", node=ast.Call(args=[made, *_])):
            made = made.body if isinstance(made, ast.Lambda) else made
            return "deque" in ast.unparse(made)
    return False


def _cannot_be_filled(value: Value) -> bool:
    """Whether something is no list any more, or not yet: a tensor or an array that was made of one
    (``self.labels = torch.cat(self.labels)``), or None."""
    return value == NONE or (isinstance(value, Made) and value.name.partition("(")[0] in _JOINTS)


def _is_container(value: Value) -> bool:
    if isinstance(value, Made):
        return value.name in ("collections.defaultdict", "collections.OrderedDict")
    return isinstance(value, Table) or (isinstance(value, Items) and value.kind == "list")


def _judged(program: Program, iterations: Iterations, keeping: Keeping, spot: Spot) -> Found | None:
    """The finding where batches of a loader with workers are kept, and enough of them."""
    into = keeping.kept.into
    if not may_be_loader(spot, keeping):
        return None
    filling: Asked = spot
    if keeping.kept.inside is not None:
        filling, into = keeping.kept.inside.spot, keeping.kept.inside.into
    if into is not None and not _fills(filling, into):
        return None
    for loader in keeping.loaders(spot, iterations):
        if not sends_files(loader):
            continue
        if _is_sheltered(program, loader):
            continue
        joined = into is not None and filling.joins(
            into,
            by_method=isinstance(keeping.kept.node, ast.Name | ast.Subscript)
            and not keeping.kept.gone_through,
        )
        kinds: dict[View, Holding | None] = {}
        for view in keeping.kept.views:
            fields = field_kinds(program.evaluator, loader, view.known.place)
            if fields is None:
                kinds[view] = None
                continue
            each = (
                joined
                and view.given is None
                and not view.is_list
                and Values.EACH not in (view.known.place or ())
            )
            if view.known.casts and not has_type(program, loader, view):
                kinds[view] = None  # of another type, which is a copy
            elif each and not keeping.kept.gone_through:
                kinds[view] = "a tensor"
            else:
                shown = kind_of(program, loader, view, keeping.tensors, fields)
                # What is gone through may be a tuple of the tensors that are joined.
                kinds[view] = "holds some" if shown is None and each and not view.known.is_row else shown
        views = [view for view, kind in kinds.items() if kind is not None]
        batches = most_batches(program.evaluator, loader) if views else None
        ends = [_length(program, iterations, other, spot) for other in keeping.beside] if views else []
        batches = min((each for each in (batches, *ends) if each is not None), default=None)
        if views and (batches is None or batches * len(views) >= FEW) and not _is_of_workers(program, loader):
            surely = all(kind == "a tensor" and not _is_one_of_several(view) for view, kind in kinds.items())
            return _found(
                program,
                loader,
                keeping,
                views,
                surely,
                spot,
                many=(batches or 0) * len(views) >= _LIMIT,
            )
    return None


def _is_of_workers(program: Program, loader: Loader) -> bool:
    """Whether worker code makes a loader, for an item: to start its workers is what fails there (DL107), and
    without workers around it its batches go when the item is done."""
    scope = id(loader.point.frame.scope)
    return any(scope in use.worker_functions for use in program.uses if use.loader is not None)


def _is_one_of_several(view: View) -> bool:
    """Whether an expression stands for several parts of a batch, one in each round of a loop through keys:
    what is cured is cured of all of them."""
    return any(
        isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Name) and isinstance(key, str)
        for each in walk(view.node)
        for key in view.known.place or ()
    )


def _length(program: Program, iterations: Iterations, other: ast.expr, spot: Spot) -> int | None:
    """How many rounds what is gone through beside a loader surely allows at most."""
    match other:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(number))]):
            return number
    counts = [most_batches(program.evaluator, each) for each in iterations.loaders_of(other, spot.point)]
    known = [count for count in counts if count is not None]
    return max(known) if known and len(known) == len(counts) else None


def _is_sheltered(program: Program, loader: Loader) -> bool:
    """Whether the program shares tensors another way, or has said how many files it may open."""
    protections = [
        program.protections("multiprocessing.set_sharing_strategy", "file_system", unknown=True),
        program.protections("resource.setrlimit", "resource.RLIMIT_NOFILE", unknown=True),
    ]
    made = program.made_by(loader.call)
    uses = program.uses_of(made) if made is not None else []
    return any(
        all(protection.shelter(use, use.modules) for use in uses) if uses else bool(protection.effects)
        for protection in protections
    )


def _found(
    program: Program,
    loader: Loader,
    keeping: Keeping,
    views: list[View],
    remedy: bool,
    spot: Spot,
    many: bool,
) -> Found:
    names = sorted({ast.unparse(view.node) for view in views})
    arrays = sorted({ast.unparse(view.node) for view in views if view.from_array})
    told = all(view.from_array is not None for view in views)
    data: dict[str, object] = {"parts": names, **({"arrays": arrays} if arrays else {})}
    of_call = keeping.kept.given_by is not None  # what it gives may be wanted as it is elsewhere
    cured = Remedy("clone_kept", "unsafe", "Keep copies", data) if remedy and told and not of_call else None
    copy = _COPY if not arrays and told else _COPY_ARRAYS if arrays == names and told else _COPY_EITHER
    if is_cycle(keeping.kept.node):
        copy = _AGAIN.format(brief(keeping.source, _LONGEST))
    first = views[0]
    if keeping.kept.into is None and first.node is keeping.kept.node and not first.known.place:
        what = f"{brief(first.node, _LONGEST)} keeps every batch: each tensor"
    else:
        nodes = {ast.unparse(view.node): view.node for view in views}.values()
        shown = [brief(node, _LONGEST if len(nodes) == 1 else _LONGEST // 2) for node in nodes]
        if keeping.kept.given_by is not None:
            shown[-1] += f" in what {keeping.kept.given_by.name} gives"
        what = f"{listed(shown, 2)} of every batch {'is' if len(shown) == 1 else 'are'} kept: each"
    inside = keeping.kept.inside is not None
    asked = for_place(program, spot.point if inside else spot.at(keeping.kept.node), keeping.kept.node)
    return Found(
        keeping.kept.inside.spot.module if keeping.kept.inside else spot.module,
        keeping.kept.node,
        f"{what} holds a file open, and at 1,024 comes a RuntimeError",
        "error",
        f"{copy} (loader at {place(loader.module, loader.call)})",
        both(with_workers(program, loader), asked, None if many else _MANY),
        remedy=cured,
        by_hand=None if cured else copy,
    )
