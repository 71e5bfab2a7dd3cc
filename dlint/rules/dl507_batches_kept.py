"""Batches that workers have sent are kept, each with a file open.

## What it finds

Tensors of a loader with workers that outlive their round: put into a list or dict that the loop fills
(`kept.append(batch)`, `targets.append(labels)`, `features[step] = batch[0]`, `kept += [labels]`,
`kept = kept + [labels]`, `kept = [*kept, labels]`, `kept.insert(0, labels)`,
`kept.extend(y.cpu() for y in labels)`, `kept.extend(zip(x, y))`, `kept.setdefault("y", []).append(y)`, a
function that does nothing else with what it is given (be the list one of its module that nothing empties), a
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
`images, labels = batch`, `{k: v.cpu() for k, v in batch.items()}`, and what a loop inside goes through
(`for target in targets:`, `zip(targets, outputs)`, `batch.items()`), unless that loop may end early; so is a
generator that hands every batch on (`logger.log_every(loader, 10)`), what ignite's `Engine` does that runs
over a loader, or a loop that asks an iterator for each (`batch = next(batches)`): one over another loader, up
to `len(loader)` or a large number, or until there is none. A batch under whose keys something else was stored
still holds what is under the others.

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
zip(*batch)`, `[item["boxes"] for item in batch]`), nor what that returns, nor what the code does with it
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
import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.finding import Remedy
from dlint.knowledge.tensors import JOINS
from dlint.loaders.counts import most_batches
from dlint.loaders.iteration import Iterations
from dlint.loaders.loaders import Loader
from dlint.program.asked import for_place
from dlint.program.conditions import both, with_workers
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import brief, listed, place
from dlint.source.nodes import walk
from dlint.source.statements import dotted, expressions
from dlint.streams.batches.by_next import ByNext, Rounds, measured, rounds_of
from dlint.streams.batches.collated import Holding
from dlint.streams.batches.fields import field_kinds
from dlint.streams.batches.kept import (
    Kept,
    gives_nothing,
    kept_by,
    kept_by_comprehension,
    puts_nothing,
)
from dlint.streams.batches.kinds import are_items_numbers, has_type, kind_of
from dlint.streams.batches.put_by_helpers import Asked
from dlint.streams.batches.rounds import batch_in, goes_through_all
from dlint.streams.batches.spot import Spot
from dlint.streams.batches.treated import Tensors, places_in, tensors_in
from dlint.streams.memory.held import Held
from dlint.streams.memory.places import Named, Place, Values, View, named
from dlint.values.values import NONE, Const, External, Items, Made, Table, Unknown, Value

# All of something written out: ``[*loader]``, ``zip(*loader)``.
_SPREADS = re.compile(r"[\[(,=]\s*\*\s*([\w.]{1,200})")
_GATHERS = {
    "dict": "builtins.dict",
    "list": "builtins.list",
    "tuple": "builtins.tuple",
    "cycle": "itertools.cycle",
}
# A file that goes through a loader calls something so: one of these, or what the pattern finds.
_LOADERS = (
    *("Loader", "loader", "LOADER"),
    *(f"{split}_{kind}" for split in ("data", "train", "val", "test", "eval") for kind in ("iter", "gen")),
)
_DL = re.compile(rb"dl(?<![A-Za-z]dl)(?![A-Za-z])")
_LOADER = re.compile(r"load|(?:^|[._])dl(?:$|[._])|_dl|batch|iter", re.IGNORECASE)
_DATA = re.compile(rf"{_LOADER.pattern}|data(?!frame)|train|test|val(?!ues)|eval|generator", re.IGNORECASE)
_WORDS = ("for", "while", "zip", "ignite", *_GATHERS)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
# So many tensors leave room for the files that a program has open anyway.
_FEW = 900
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


class _Keeping(NamedTuple):
    """What is kept, the batches it is of, and what the code around it takes for tensors."""

    kept: Kept
    source: ast.expr
    tensors: Tensors
    beside: tuple[ast.expr, ...] = ()  # what is gone through with it, and may end first


def check(program: Program) -> Iterator[Found]:
    """Everything that a program keeps of the batches that workers send it."""
    if not any(_sends_files(loader) for loader in program.loaders):
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
        calls = [line for name in _GATHERS for line in module.lines_with(name, called=True)]
        calls += [
            line
            for line, text in enumerate(module.lines, 1)
            if "*" in text and any(_LOADER.search(name) for name in _SPREADS.findall(text))
        ]
        calls += module.lines_with("run", called=True) if "ignite" in module.text else []
        calls += module.lines_with("while") if module.lines_with("next", called=True) else []
        for trail in module.trails_at([*module.lines_with("for"), *calls]):
            statement = trail[-1]
            if not isinstance(statement, ast.stmt) or isinstance(statement, ast.ClassDef | ast.FunctionDef):
                continue
            spot = Spot(program.evaluator, program.answers, module, trail)
            for keeping in _keepings(program, spot, iterations, statement):
                found = _judged(program, iterations, keeping, spot)
                if found is not None:
                    yield found


def _keepings(
    program: Program, spot: Spot, iterations: Iterations, statement: ast.stmt
) -> Iterator[_Keeping]:
    """What a statement keeps, should it go through the batches of a loader."""
    if isinstance(statement, ast.For):
        yield from _kept_in_rounds(program, spot, iterations, statement)
    run = spot.by_engine(statement)
    if run is not None:
        yield from _kept_in_rounds(program, spot, iterations, run)
    if isinstance(statement, ast.For | ast.While):
        for by_next in spot.by_next(statement):
            ends = _rounds_of(spot, iterations, by_next)
            if ends is not None:
                for keeping in _kept_in_rounds(program, spot, iterations, by_next.loop):
                    yield keeping._replace(beside=ends)
    for expression in expressions(statement):
        beside = _beside(expression)
        for node in walk(expression):
            if isinstance(node, ast.ListComp) and (loader := _taken_by_number(spot, node)) is not None:
                kept = Kept(node.elt, (View(node.elt, Named(())),), None)
                yield _Keeping(kept, loader, Tensors(frozenset(), frozenset()))
            elif isinstance(node, _COMPREHENSIONS) and len(node.generators) == 1:
                generator = node.generators[0]
                sounds = _sounds(generator.iter) or (
                    _DATA.search(_gone_through(generator.iter)) is not None
                    and _is_made_there(spot, generator.iter)
                )
                sounds = sounds or (_is_given_data(spot, generator.iter) and _is_joined(node, expression))
                batch = batch_in(generator.target, generator.iter, spot.assigned) if sounds else None
                for kept in kept_by_comprehension(node, batch, spot, spot.gives) if batch is not None else ():
                    yield _Keeping(kept, generator.iter, _tensors_of(kept, tensors_in([node])))
            elif isinstance(node, ast.expr) and (source := _gathered(spot, node)) is not None:
                others = beside.get(id(node), ()) if _is_cycle(node) else ()
                if others is not None:
                    kept = Kept(node, (View(node, Named(())),), None)
                    yield _Keeping(kept, source, Tensors(frozenset(), frozenset()), others)


def _kept_in_rounds(
    program: Program, spot: Spot, iterations: Iterations, loop: ast.For
) -> Iterator[_Keeping]:
    """What the rounds of a loop keep, should it go through the batches of a loader."""
    batch = batch_in(loop.target, loop.iter, spot.assigned)
    if batch is None:
        return
    # What a helper does is worth asking only of what is called as loaders are, or batches.
    asks = any(map(_sounds, (loop.iter, loop.target))) or _is_made_there(spot, loop.iter)
    puts_by, gives = (spot.puts_by, spot.gives) if asks else (puts_nothing, gives_nothing)
    tensors = tensors_in(loop.body)

    def are_numbers(place: Place) -> bool:
        sending = spot.loaders(iterations, loop.iter) if asks else []
        return bool(sending) and all(are_items_numbers(program, each, place) for each in sending)

    def matters(kept: Kept) -> bool:
        keeping = _Keeping(kept, loop.iter, _tensors_of(kept, tensors))
        return _may_be_loader(spot, keeping) and any(
            _sends_files(loader) for loader in spot.loaders(iterations, loop.iter)
        )

    found = kept_by(
        loop, batch, spot, puts_by, gives, spot.overwrites, spot.empties, are_numbers, spot, matters
    )
    if found:
        shown = places_in(loop.body, Held(named(batch, Named(())), spot))
        tensors = tensors._replace(places=frozenset(shown))
    for kept in found:
        yield _Keeping(kept, loop.iter, _tensors_of(kept, tensors))


def _rounds_of(spot: Spot, iterations: Iterations, by_next: ByNext) -> tuple[ast.expr, ...] | None:
    """What else ends a loop that asks an iterator for each batch, None where it may be meant to take a few
    of them: it does not go through a loader, nor count to the length of one, or to a large number."""
    if by_next.rounds is None:
        return ()
    ends: list[ast.expr] = []
    for told_by, is_number, begin in _told_by_name(spot, by_next):
        if is_number:
            begins = spot.numbers(begin) if begin is not None else [0]
            if not begins:
                return None
            if any(number - min(begins) >= _FEW for number in spot.numbers(told_by)):
                return ()
            counted = [*spot.assigned(told_by.id)] if isinstance(told_by, ast.Name) else [told_by]
            ends += [of for each in counted for of in measured(each)]
        elif _sounds(told_by) or _is_made_there(spot, told_by):
            ends.append(told_by)
    through = [each for each in ends if goes_through_all(each) and spot.loaders(iterations, each)]
    return tuple(through) if through and len(through) == len(ends) else None


def _told_by_name(spot: Spot, by_next: ByNext) -> list[Rounds]:
    """What tells the rounds of a loop, by its name what that was given: ``bar = tqdm(range(n))``."""
    rounds = by_next.rounds
    if rounds is None:
        return []
    if not rounds.is_number and isinstance(rounds.told_by, ast.Name):
        given = [rounds_of(each) for each in spot.assigned(rounds.told_by.id)]
        if given and all(each.is_number for each in given):
            return given
    return [rounds]


def _tensors_of(kept: Kept, around: Tensors) -> Tensors:
    """What is taken for tensors by the code that something kept stands in."""
    function = kept.given_by or (kept.inside.function if kept.inside is not None else None)
    return around if function is None else tensors_in(function.body)._replace(places=around.places)


def _taken_by_number(spot: Spot, made: ast.ListComp) -> ast.expr | None:
    """The loader whose batches a list is made of, as many as it has: after ``it = iter(loader)`` the
    comprehension ``[next(it) for _ in range(len(loader))]``."""
    match made:
        case ast.ListComp(
            elt=ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name)]),
            generators=[
                ast.comprehension(
                    iter=ast.Call(
                        func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[loader])]
                    ),
                    ifs=[],
                )
            ],
        ) if _is_whole(loader):
            begun = [ast.unparse(value) for value in spot.assigned(name)]
            return loader if begun == [f"iter({ast.unparse(loader)})"] else None
    return None


def _beside(expression: ast.AST) -> dict[int, tuple[ast.expr, ...] | None]:
    """For what a call takes things from, what it goes through beside it (``zip``), and None where it takes
    only some of it."""
    found: dict[int, tuple[ast.expr, ...] | None] = {}
    for node in walk(expression):
        if isinstance(node, ast.Call):
            match (dotted(node.func) or "").rpartition(".")[2]:
                case "zip":
                    found.update(
                        (id(each), tuple(o for o in node.args if o is not each)) for each in node.args
                    )
                case "islice" | "next":
                    found.update((id(each), None) for each in node.args)
    return found


def _is_cycle(node: ast.expr) -> bool:
    """Whether an expression gives again what it has kept: ``itertools.cycle``."""
    return isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] == "cycle"


def _sounds(iterable: ast.expr) -> bool:
    """Whether what is gone through has a name as loaders have: most lists that are copied are none."""
    return _LOADER.search(ast.unparse(iterable)) is not None


def _is_made_there(spot: Spot, iterable: ast.expr) -> bool:
    """Whether what is gone through is made, in the same function, of what has a loader's name, or the name of
    what makes one: ``val = DataLoader(rows)``, ``progress = tqdm(train_loader)``."""
    name = _gone_through(iterable)
    return bool(name) and any(_sounds(value) for value in spot.assigned(name))


def _gone_through(iterable: ast.expr) -> str:
    """What is gone through, by its name, in calls too (``enumerate(progress)``); "" where it has none."""
    while isinstance(iterable, ast.Call) and iterable.args and dotted(iterable.func) != "range":
        iterable = iterable.args[0]
    return dotted(iterable) or ""


def _is_given_data(spot: Spot, iterable: ast.expr) -> bool:
    """Whether what is gone through is called as data are, and the function around is given it: worth a search
    of all callers only where tensors are made of it."""
    return (
        isinstance(iterable, ast.Name)
        and _DATA.search(iterable.id) is not None
        and spot.is_given(iterable.id)
    )


def _is_joined(made: ast.expr, expression: ast.AST) -> bool:
    """Whether a part of an expression is taken for a list of tensors: ``torch.cat([...])``."""
    return any(
        isinstance(node, ast.Call)
        and node.args[:1] == [made]
        and f"torch.{(dotted(node.func) or '').rpartition('.')[2]}" in JOINS
        for node in walk(expression)
    )


def _gathered(spot: Spot, node: ast.expr) -> ast.expr | None:
    """What an expression keeps all of, be it to give it again: ``list(loader)``, ``[*loader]``."""
    match node:
        case ast.Call(func=func, args=[ast.Starred(value=source)]):
            names = {"zip": "builtins.zip"}
        case ast.Call(func=func, args=[source]):
            names = _GATHERS
            if getattr(func, "id", "") == "dict" and not _is_numbered(source):
                return None  # a batch has no key
        case ast.List(elts=[ast.Starred(value=source)]) | ast.Tuple(elts=[ast.Starred(value=source)]):
            return source if isinstance(node.ctx, ast.Load) and _is_whole(source) else None
        case _:
            return None
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    # What cycles is seldom anything but a loader, whatever that is called.
    if name not in names or not (_is_whole(source) or (name == "cycle" and goes_through_all(source))):
        return None
    values = spot.values(func)
    known = all(isinstance(value, External) and value.name == names[name] for value in values)
    return source if values and known else None


def _is_numbered(source: ast.expr) -> bool:
    return isinstance(source, ast.Call) and dotted(source.func) == "enumerate"


def _is_whole(source: ast.expr) -> bool:
    return goes_through_all(source) and _sounds(source)


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


def _judged(program: Program, iterations: Iterations, keeping: _Keeping, spot: Spot) -> Found | None:
    """The finding where batches of a loader with workers are kept, and enough of them."""
    into = keeping.kept.into
    if not _may_be_loader(spot, keeping):
        return None
    filling: Asked = spot
    if keeping.kept.inside is not None:
        filling, into = keeping.kept.inside.spot, keeping.kept.inside.into
    if into is not None and not _fills(filling, into):
        return None
    for loader in spot.loaders(iterations, keeping.source):
        if not _sends_files(loader):
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
        if views and (batches is None or batches * len(views) >= _FEW):
            surely = all(kind == "a tensor" for kind in kinds.values())
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


def _length(program: Program, iterations: Iterations, other: ast.expr, spot: Spot) -> int | None:
    """How many rounds what is gone through beside a loader surely allows at most."""
    match other:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(number))]):
            return number
    counts = [most_batches(program.evaluator, each) for each in iterations.loaders_of(other, spot.point)]
    known = [count for count in counts if count is not None]
    return max(known) if known and len(known) == len(counts) else None


def _may_be_loader(spot: Spot, keeping: _Keeping) -> bool:
    """Whether the name of what is gone through or kept of it, or what is done with that, speaks for a loader:
    finding out what a parameter is costs a search of all callers."""
    if _is_cycle(keeping.kept.node):
        return True
    return (
        _DATA.search(ast.unparse(keeping.source)) is not None
        or any(
            view.known.is_tensor or keeping.tensors.hold(view.given or view.node) or _sounds(view.node)
            for view in keeping.kept.views
        )
        or _is_made_there(spot, keeping.source)
    )


def _sends_files(loader: Loader) -> bool:
    """Whether a loader has workers, and gives their tensors as they come: pinned ones, and those on a
    GPU, are copies."""
    return (
        loader.may_have_workers
        and not loader.on_device
        and all(
            value is None or (isinstance(value, Const) and not value.value)
            for value in loader.values("pin_memory")
        )
    )


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
    keeping: _Keeping,
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
    if _is_cycle(keeping.kept.node):
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
