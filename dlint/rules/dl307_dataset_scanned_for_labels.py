"""A dataset is read item by item, only for its labels or the shapes of its images.

## What it finds

A loop or comprehension over a dataset of the program, or of torchvision, or a part of one (`random_split`),
that uses the label and not the image: `[label for image, label in dataset]`, `for _, label, _ in dataset:`,
`item[1]` or `item["label"]` of every item, whatever the dataset is called there (`item.label` of what is
named like one, where items are named tuples or dataclasses), by `map(lambda item: item[1], dataset)` or
`map(itemgetter(1), dataset)` too, `dataset[i][1]` or `_, labels[i] = dataset[i]` for every `i`, or for those
of a fold (`KFold`, `train_test_split`), also where a function of the program gives the items of a dataset as
they are (`for i in range(len(dataset)): yield dataset[i]`), or picks the label of one (`return
dataset[i][1]`), and `_, labels = zip(*dataset)` or `list(zip(*dataset))[1]`. A label that goes through
transforms of the whole item is still one where all of those are the program's own and leave it alone. An
image that is only asked for its shape (`image.shape[-2:]`, `image.size()`) is not used either: it was
decoded, and a file says in its header how large it is. So it is with any part that surely is decoded from an
image, a sound or an array, and asked for its length or shape alone (`len(item["audio"])`): a text must be
read to know.

Not reported: loops that a `break` or `return` may end before the last item, and `next(...)` and `any(...)`,
passes that use the whole item, or a part that is itself read or decoded (a mask, a sound; labels that an HDF5
file has beside the images, of which `self.file["y"][i]` is one, could be read alone and are reported), a pass
beside another one of the same function that uses the images (of the same indices, or of all), lists and
attributes of labels (`dataset.targets`), methods that give a label alone, methods of the items
(`sample.save(...)`), loops over a loader or what is called one, datasets that are told before what not to
read (`dataset.labels_only = True`, where that decides it) or that keep what they have read (`self.images[i] =
image`), and datasets whose items are only looked up in memory (what pycocotools has read counts as memory,
masks that it decodes do not). The size of what `Image.open` gives is no waste: PIL has read the header and no
more, until the image is converted or made a tensor.

## Why is this bad

Every item is read, decoded and transformed once before training begins, and thrown away.

## Example

```python
weights = [class_weight[label] for image, label in dataset]
```

Use instead what the dataset knows already:

```python
weights = [class_weight[label] for label in dataset.labels]
```

## Level

- `note`, cost: time before the training.

## Fix safety

No remedy: only the author knows where the labels are.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.knowledge.loading import RANDOM_SPLIT, is_dataset, is_iterable_dataset
from dlint.knowledge.parts import FILE_OF_ARRAYS, is_in_memory, sounds_like_data
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import (
    dotted,
    last_name,
    own_names,
    own_nodes,
    self_name,
    statement_at,
    statements_in,
)
from dlint.streams.items.handed import FORWARDS, hands_items_on
from dlint.streams.items.items import inner
from dlint.streams.items.parts import Parts
from dlint.streams.labels.beside import reads_images
from dlint.streams.labels.lines import lines_of, may_pass
from dlint.streams.labels.passes import Pass, passes
from dlint.streams.labels.picked import counts_all, picked_part
from dlint.streams.labels.uses import Use
from dlint.streams.memory.stored import Field
from dlint.values.frame import Point, layout_of
from dlint.values.functions import given_names
from dlint.values.places import tests_around
from dlint.values.values import Function, Instance, Made, Value
from dlint.values.worlds import HERE
from dlint.workers.events import Event, Visit

# Who goes through a dataset mentions one of these, if not its class, which may be called anything elsewhere.
_WORDS = ("ataset", "DataLoader", "DataModule")


def check(program: Program) -> Iterator[Found]:
    """Passes over datasets that use the label alone."""
    parts = Parts(program.evaluator)
    index = program.modules.index
    files = (
        relative
        for relative in sorted({file for word in _WORDS for file in index.mentioning(word)})
        if program.mine(relative) and may_pass(index.data(relative))
    )
    for module in program.modules.each(files):
        lines = lines_of(module)
        for trail in module.trails_at(lines) if lines else ():
            statement = trail[-1]
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            for each in passes(statement):
                found = _known(program, module, trail, each)
                if found is None:
                    continue
                uses = [use for use in (found.use, found.use.of_all()) if use is not None]
                uses = [use for use in uses if use.part is None or not sounds_like_data(use.name)]
                if not uses or reads_images(trail, found):
                    continue
                if "loader" in last_name(found.source).lower():
                    continue  # it gives batches
                program.evaluator.start()
                point = program.evaluator.sites.point_of(module, trail)
                if found.indices is not None and not (
                    _are_all(found, point)
                    or _is_fold(program, found.indices, point)
                    or _is_of_split(program, found, point)
                ):
                    continue
                if found.giver is not None and not _gives_items(program, found.giver, point):
                    continue
                values = [value for value, _ in program.evaluator.values(found.source, point)]
                told = _told_before(program, trail, found.source, point)
                decoded = [value for value in values if _is_decoded(program, value, told)]
                for use in uses:
                    if any(_is_in_vain(parts, value, use) for value in decoded):
                        yield _found(module, found._replace(use=use))
                        break


def _known(program: Program, module: Module, trail: list[ast.AST], found: Pass) -> Pass | None:
    """A pass as what is known of it: where a function picks what is used of each item, that part of it."""
    if found.picker is None:
        return found
    point = program.evaluator.sites.point_of(module, trail)
    if found.indices is not None and not _are_all(found, point):
        return None
    program.evaluator.start()
    parts: set[int | str | None] = set()
    for value, _ in program.evaluator.values(found.picker, point):
        if not isinstance(value, Function) or not isinstance(value.node, ast.FunctionDef):
            return None
        match given_names(value):
            case [dataset, index]:
                parts.add(picked_part(value.node, dataset, index))
            case _:
                return None
    match list(parts):
        case [int(place)] if place > 0:
            return found._replace(use=Use(place, "", False))
        case [str(key)]:
            return found._replace(use=Use(key, key, False))
    return None


def _are_all(found: Pass, point: Point) -> bool:
    """Whether the indices of a pass are, if nothing else is asked for, those of all items."""
    dataset, body = dotted(found.source), point.frame.layout.body
    return found.indices is not None and dataset is not None and counts_all(found.indices, dataset, body)


def _gives_items(program: Program, giver: ast.expr, point: Point) -> bool:
    """Whether what is called gives the items of the one thing that it is given, as they are."""
    values = [value for value, _ in program.evaluator.values(giver, point)]
    return bool(values) and all(
        isinstance(value, Function)
        and isinstance(value.node, ast.FunctionDef)
        and not value.node.decorator_list
        and any(hands_items_on(value.node, name) for name in given_names(value)[:1])
        for value in values
    )


def _is_in_vain(parts: Parts, dataset: Value, use: Use) -> bool:
    """Whether a pass needs nothing of what is decoded for it."""
    if use.measured is not None and not parts.is_decoded_from_file(dataset, use.measured):
        return False
    if isinstance(use.part, Field) and not parts.has_field(dataset, use.part.name):
        return False
    if use.part is not None and parts.is_read(dataset, use.part):
        return isinstance(use.part, int) and not use.of_shape and parts.is_apart(dataset, use.part)
    return not use.of_shape or parts.is_decoded(dataset, 0)


def _is_fold(program: Program, indices: ast.expr, point: Point) -> bool:
    """Whether a name stands for the indices of a fold, which are most items or a good part of them."""
    frame = point.frame
    if not isinstance(indices, ast.Name) or isinstance(frame.scope, ast.Lambda):
        return False
    bound = [
        statement
        for statement in statements_in(frame.scope.body)
        if indices.id in frame.layout.bound_by(statement)
    ]
    return bool(bound) and all(_splits(program, each, Point(frame, each)) for each in bound)


def _is_of_split(program: Program, found: Pass, point: Point) -> bool:
    """Whether indices are those of a part that is a good one of its dataset: ``train.dataset[i][1]`` for
    every one of ``train.indices``, as ``random_split`` gives it."""
    match found.indices, found.source:
        case (
            ast.Attribute(value=split, attr="indices"),
            ast.Attribute(value=of, attr="dataset"),
        ) if dotted(split) == dotted(of):
            values = [value for value, _ in program.evaluator.values(split, point)]
            return bool(values) and all(
                isinstance(value, Made) and value.name == RANDOM_SPLIT for value in values
            )
    return False


def _splits(program: Program, statement: ast.stmt, point: Point) -> bool:
    """Whether a statement takes apart what scikit-learn splits: ``for train, test in folds.split(...)``."""
    match statement:
        case ast.For(target=ast.Tuple(), iter=split) | ast.Assign(targets=[ast.Tuple()], value=split):
            while isinstance(split, ast.Call) and split.args and dotted(split.func) in FORWARDS:
                split = split.args[0]
            return any(
                isinstance(value, Made) and value.name.startswith("sklearn.model_selection.")
                for value, _ in program.evaluator.values(split, point)
            )
    return False


def _told_before(program: Program, trail: list[ast.AST], source: ast.expr, point: Point) -> frozenset[str]:
    """The attributes that a function gives a dataset, or a part of it, before it goes through that, itself or
    by the dataset's methods: ``dataset.labels_only = True``, ``dataset.only_labels()``."""
    path, statement = dotted(source) or "", trail[-1]
    found: set[str] = set()
    for each in statements_in(point.frame.layout.body):
        if each.lineno > getattr(statement, "lineno", 0):
            continue
        for name in own_names(each):
            holder, _, attribute = name.rpartition(".")
            if holder == path or holder.startswith(f"{path}."):
                found.add(attribute)
        for node in own_nodes(each):
            match node:
                case ast.Call(func=ast.Attribute(value=holding) as method) if dotted(holding) == path:
                    found |= _stored_by(program, method, Point(point.frame, each))
    return frozenset(found)


def _stored_by(program: Program, method: ast.Attribute, point: Point) -> set[str]:
    """The attributes of its object that a method of the program stores."""
    found: set[str] = set()
    for value, _ in program.evaluator.values(method, point):
        if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
            own = f"{self_name(value.node)}."
            binds = layout_of(value.node).binds
            found |= {name.removeprefix(own) for name in binds if name.startswith(own)}
    return found


def _hangs_on(event: Event, told: frozenset[str]) -> bool:
    """Whether attributes of the dataset decide whether its code comes to a call, or what that calls."""
    asked = [event.node.func] if isinstance(event.node, ast.Call) else []
    asked += [test for at in event.places() for test, _, _ in tests_around(at)]
    return any(isinstance(node, ast.Attribute) and node.attr in told for each in asked for node in walk(each))


def _is_decoded(program: Program, value: Value, told: frozenset[str]) -> bool:
    """Whether reading an item of a dataset is work: more than a look into memory, whatever it is ``told``."""
    if isinstance(value, Made):
        parts = [part for part, _ in inner(program.evaluator, value, HERE)]
        torchvisions = value.name.startswith("torchvision.datasets.") and is_dataset(value.name)
        return torchvisions or any(_is_decoded(program, part, told) for part in parts)
    if not isinstance(value, Instance):
        return False
    libraries = program.evaluator.classes.libraries(value.cls)
    if not any(is_dataset(name) for name in libraries) or any(
        is_iterable_dataset(name) for name in libraries
    ):
        return False
    code = program.code_of(value)
    if any(visit.role == "dataset" and _keeps_read(visit.function.node) for visit in code.visits):
        return False  # a first pass fills what later ones are given
    return any(
        event.role == "dataset"
        and not is_in_memory(event.name)
        and not event.name.startswith("builtins.")
        and not (told and _hangs_on(event, told))
        for event in code.events
    ) or any(visit.role == "dataset" and _reads_arrays(program, visit) for visit in code.visits)


def _keeps_read(function: ast.AST) -> bool:
    """Whether a function keeps what it has read for the next time: in an entry of its object
    (``self.images[index] = image``), or as a decorator does that caches."""
    if not isinstance(function, ast.FunctionDef):
        return False
    if any("cache" in ast.unparse(decorator) for decorator in function.decorator_list):
        return True
    own = f"{self_name(function)}."
    return any(
        isinstance(target, ast.Subscript)
        and (dotted(target.value) or "").startswith(own)
        and not isinstance(statement.value, ast.Constant)
        for statement in statements_in(function.body)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _reads_arrays(program: Program, visit: Visit) -> bool:
    """Whether a function reads what is in a file of arrays that it has open: ``self.file["images"][i]``."""
    node = visit.function.node
    if isinstance(node, ast.Lambda) or not program.modules.index.mentioning("h5py"):
        return False
    for part in visit.frame.layout.nodes:
        if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name | ast.Attribute | ast.Call):
            program.evaluator.start()
            point = Point(visit.frame, statement_at(node, part))
            held = [value for value, _ in program.evaluator.values(part.value, point, visit.world)]
            if any(isinstance(each, Made) and each.name == FILE_OF_ARRAYS for each in held):
                return True
    return False


def _found(module: Module, found: Pass) -> Found:
    name = dotted(found.source)
    wanted, cure = "its labels", "take the labels from where the dataset keeps them"
    if isinstance(found.use.part, str | Field):
        wanted, cure = f"its {found.use.name!r}", "take that from where the dataset keeps it"
    if found.use.of_shape:
        wanted = "the shapes of its images" if found.use.part is None else "its labels and shapes"
        cure = "take them from where the dataset keeps them, and sizes from the files' headers"
    if found.use.measured is not None:
        sizes = (
            f"the sizes of its {found.use.measured!r}"
            if isinstance(found.use.measured, str)
            else "the sizes of its samples"
        )
        wanted = sizes if found.use.part is None else f"{wanted} and {sizes}"
        cure = "take them from where the dataset keeps them, and sizes from the files' headers"
    return Found(
        module,
        found.node,
        f"{name} is read item by item only for {wanted}: every sample is decoded and thrown away",
        "cost",
        cure,
    )
