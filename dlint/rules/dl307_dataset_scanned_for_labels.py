"""A dataset is read item by item, only for its labels or the shapes of its images.

## What it finds

A loop or comprehension over a dataset of the program, or of torchvision, or a part of one (`random_split`),
that uses the label and not the image: `[label for image, label in dataset]`, `for _, label, _ in dataset:`,
`item[1]` or `item["label"]` of every item of what is named like a dataset, `dataset[i][1]` or
`_, label = dataset[i]` for every `i`, or for those of a fold (`KFold`, `train_test_split`). An image that is
only asked for its shape (`image.shape[-2:]`, `image.size()`) is not used either: it was decoded, and a file
says in its header how large it is.

Not reported: loops that a `break` may end before the last item, passes that use the whole item, or a part
that is itself read or decoded (a mask, a sound), a pass beside another one of the same function that uses the
images (of the same indices, or of all), lists and attributes of labels (`dataset.targets`), methods that give
a label alone, loops over a loader, and datasets whose items are only looked up in memory. The size of what
`Image.open` gives is no waste: PIL has read the header and no more, until the image is converted or made a
tensor.

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
import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.knowledge.loading import is_dataset, is_iterable_dataset
from dlint.knowledge.parts import IN_MEMORY, sounds_like_data
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.layout import blocks, dotted, statements_in, target_names
from dlint.source.module import Module
from dlint.source.nodes import COMPREHENSIONS, walk
from dlint.streams.items import inner
from dlint.streams.parts import Parts, Place
from dlint.values.frame import Point
from dlint.values.values import Instance, Made, Value
from dlint.values.worlds import HERE

# All repetitions that a search may begin anew at many places are bounded: a line may be made to be hostile.
# What a pass has on one of its lines: ``for image, label in dataset`` (or ``enumerate(...)``), or
# ``for i in range(...)`` with ``dataset[i][1]``.
_UNPACKS = (
    r"\bfor\b[^\n]{0,300}?\w\s{0,99},\s{0,99}\w{1,99}[\s,)]{0,99}\bin\b\s{0,99}"
    r"(?:\(|\\|$|[\w.]{0,200}(?:enumerate|tqdm|track)\b|[\w.]{1,200}(?![\w.]|\s{0,99}[(\[]))"
)
_COUNTS = r"\bfor\b[\s(]*\w+[\s)]*\bin\b\s*(?:\(|\\|$|range\b|tqdm\b|trange\b)"
_PICKS = r"\[\s*\w+\s*\]\s*\[\s*[\d'\"]"
# Whole items: ``for item in dataset``, where the name of what it goes through sounds like a dataset.
_TAKES = r"\bfor\s+\w+\s+in\s+(?:tqdm\()?[\w.]{0,200}(?:ds|data\w{0,99}|set)\b(?!\s*[(\[.])"
_PASS = re.compile(f"{_UNPACKS}|{_COUNTS}|{_PICKS}|{_TAKES}")
_THROUGH = re.compile(r"\bfor\s+\w+\s+in\s+\w+\s*:")  # ``for i in train:``
_UNPACKS_IN = re.compile(_UNPACKS.encode(), re.MULTILINE)
_PICKS_IN = re.compile(rf"{_PICKS}|,\s*\w+[\s,)]*=\s*[\w.]+\[\s*\w+\s*\]|{_TAKES}".encode())
_COUNTED_IN = re.compile(rb"\bin\b[^\n]{0,99}\brange\(\s*len\(")
_ITEM_IN = re.compile(rb"\w\s*=\s*[\w.]{1,200}\[\s*\w+\s*\]\s*?$", re.MULTILINE)
_FORWARDS = frozenset({"enumerate", "tqdm", "track"})
# What an image is asked for that its file says in the header.
_SHAPES = frozenset({"shape", "size", "ndim", "dim", "height", "width"})


class _Use(NamedTuple):
    """What a pass uses of the items: a later part and what it calls that, the shape of the first, or both."""

    part: Place
    name: str
    of_shape: bool


class _Pass(NamedTuple):
    """Where a pass stands, what it goes through, and what it uses of the items; also which indices it goes
    through, where that are not surely all, and what it counts up, where it takes items by index."""

    node: ast.expr
    source: ast.expr
    use: _Use
    indices: ast.expr | None = None
    over: ast.expr | None = None


def check(program: Program) -> Iterator[Found]:
    """Passes over datasets that use the label alone."""
    parts = Parts(program.evaluator)
    index = program.modules.index
    files = (
        relative
        for relative in index.mentioning("ataset")
        if program.mine(relative) and _may_pass(index.data(relative))
    )
    for module in program.modules.each(files):
        folds = "sklearn" in module.text
        lines = [
            number
            for number, line in enumerate(module.lines, 1)
            if ("for" in line or "][" in line)
            and (_PASS.search(line) or (folds and _THROUGH.search(line) is not None))
        ]
        for trail in module.trails_at(lines) if lines else ():
            statement = trail[-1]
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            for found in _passes(statement):
                if sounds_like_data(found.use.name) or _reads_images(trail, found):
                    continue
                program.evaluator.start()
                point = program.evaluator.sites.point_of(module, trail)
                if found.indices is not None and not _is_fold(program, found.indices, point):
                    continue
                values = [value for value, _ in program.evaluator.values(found.source, point)]
                if any(
                    _is_decoded(program, value) and _is_in_vain(parts, value, found.use) for value in values
                ):
                    yield _found(module, found)


def _may_pass(data: bytes) -> bool:
    """Whether a file has what a pass is written with."""
    if _UNPACKS_IN.search(data) or _PICKS_IN.search(data):
        return True
    return _COUNTED_IN.search(data) is not None and _ITEM_IN.search(data) is not None


def _is_in_vain(parts: Parts, dataset: Value, use: _Use) -> bool:
    """Whether a pass needs nothing of what is decoded for it."""
    if use.part is not None and parts.is_read(dataset, use.part):
        return False
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


def _splits(program: Program, statement: ast.stmt, point: Point) -> bool:
    """Whether a statement takes apart what scikit-learn splits: ``for train, test in folds.split(...)``."""
    match statement:
        case ast.For(target=ast.Tuple(), iter=split) | ast.Assign(targets=[ast.Tuple()], value=split):
            while isinstance(split, ast.Call) and split.args and dotted(split.func) in _FORWARDS:
                split = split.args[0]
            return any(
                isinstance(value, Made) and value.name.startswith("sklearn.model_selection.")
                for value, _ in program.evaluator.values(split, point)
            )
    return False


def _scope(trail: list[ast.AST]) -> ast.AST:
    """The function that a statement stands in, or the module."""
    return next(
        node
        for node in reversed(trail)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module)
    )


def _fold_of(trail: list[ast.AST], found: _Pass) -> ast.AST:
    """The loop around a pass that makes the indices which it goes through, or the function."""
    name = dotted(found.indices) if found.indices is not None else None
    return next(
        (node for node in reversed(trail) if isinstance(node, ast.For) and name in target_names(node.target)),
        _scope(trail),
    )


def _reads_images(trail: list[ast.AST], found: _Pass) -> bool:
    """Whether another pass in the same function uses the first part of the items: nothing is loaded in vain
    that is not wanted as well."""
    path = dotted(found.source)
    inside = {id(node) for node in walk(_fold_of(trail, found))} if found.over is not None else set()
    for node in walk(_scope(trail)):
        match node:
            case ast.For(target=target, iter=iterable, body=body):
                parts: list[ast.stmt] | list[ast.expr] = body
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() if len(node.generators) == 1:
                target, iterable, parts = node.generators[0].target, node.generators[0].iter, [node.elt]
            case _:
                continue
        through = _source(iterable) if iterable is not found.node else None
        if (
            through is not None
            and dotted(through) == path
            and _uses_another(_item(target, iterable), found.use, parts)
        ):
            return True
        if (
            path is not None
            and _goes_as_far(iterable, found, path, id(node) in inside)
            and _picks_images(target, parts, found, path)
        ):
            return True
    return False


def _goes_as_far(iterable: ast.expr, found: _Pass, path: str, beside: bool) -> bool:
    """Whether a loop counts up all indices, or those that a pass beside it goes through."""
    over = ast.unparse(iterable)
    return f"len({path})" in over or (beside and found.over is not None and ast.unparse(found.over) == over)


def _picks_images(target: ast.expr, body: list[ast.stmt] | list[ast.expr], found: _Pass, path: str) -> bool:
    """Whether a loop over indices takes the first part of the items."""
    if not isinstance(target, ast.Name):
        return False
    shaped = _shaped(body)
    inner: set[int] = set()
    for node in (each for part in body for each in walk(part)):
        match node:
            case ast.Subscript(
                value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item,
                slice=ast.Constant(value=at),
            ) if index == target.id and dotted(source) == path:
                if (at != found.use.part if isinstance(at, str) else at == 0) and id(node) not in shaped:
                    return True
                inner.add(id(item))
            case ast.Assign(
                targets=[unpacked], value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item
            ) if index == target.id and dotted(source) == path:
                if _uses_another(unpacked, found.use, body):
                    return True
                inner.add(id(item))
            case ast.Subscript(value=source, slice=ast.Name(id=index)) if index == target.id:
                if dotted(source) == path and id(node) not in inner:
                    return True
    return False


def _uses_another(item: ast.expr, use: _Use, body: list[ast.stmt] | list[ast.expr]) -> bool:
    """Whether a pass uses the first part of the items, or what has another key."""
    nodes = [node for part in body for node in walk(part)]
    if isinstance(item, ast.Tuple) and item.elts and isinstance(item.elts[0], ast.Name):
        first = item.elts[0].id
        shaped = _shaped(body)
        return any(
            isinstance(node, ast.Name)
            and node.id == first
            and isinstance(node.ctx, ast.Load)
            and id(node) not in shaped
            for node in nodes
        )
    return isinstance(item, ast.Name) and any(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == item.id
        and isinstance(node.slice, ast.Constant)
        and (node.slice.value != use.part if isinstance(use.part, str) else node.slice.value == 0)
        for node in nodes
    )


def _passes(statement: ast.AST) -> Iterator[_Pass]:
    """The passes of a statement that use a later part of the items alone, or a shape."""
    if isinstance(statement, ast.For):
        if _stops_early(statement.body):
            return
        source = _source(statement.iter)
        item = _item(statement.target, statement.iter)
        use = _use(item, statement.body) if source is not None else None
        if source is not None and use is not None:
            yield _Pass(statement.iter, source, use)
        yield from _indexed(statement.target, statement.iter, statement.body)
        heads: list[ast.AST] = [statement.iter]
    elif isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return):
        heads = [statement.value] if statement.value is not None else []
    else:
        return
    for head in heads:
        for node in walk(head):
            if not isinstance(node, COMPREHENSIONS) or len(node.generators) != 1:
                continue
            generator = node.generators[0]
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            source = _source(generator.iter)
            item = _item(generator.target, generator.iter)
            use = _use(item, [*parts, *generator.ifs])
            if source is not None and use is not None:
                yield _Pass(generator.iter, source, use)
            yield from _indexed(generator.target, generator.iter, [*parts, *generator.ifs])


def _stops_early(body: list[ast.stmt]) -> bool:
    """Whether a loop may end before its last round: a look at some items."""
    return any(
        isinstance(each, ast.Break)
        or (
            not isinstance(each, ast.For | ast.AsyncFor | ast.While)
            and any(_stops_early(inner) for _, inner, _ in blocks(each))
        )
        for each in body
    )


def _source(node: ast.expr) -> ast.expr | None:
    """What an iterable goes through, ``enumerate`` and the like taken away."""
    while isinstance(node, ast.Call) and node.args and (dotted(node.func) or "").split(".")[-1] in _FORWARDS:
        node = node.args[0]
    return node if dotted(node) is not None else None


def _item(target: ast.expr, iterable: ast.expr) -> ast.expr:
    """The part of a loop's target that holds the item."""
    counted = isinstance(iterable, ast.Call) and (dotted(iterable.func) or "").endswith("enumerate")
    if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        return target.elts[1]
    return target


def _use(item: ast.expr, body: list[ast.stmt] | list[ast.expr]) -> _Use | None:
    """What is used where ``(image, label)``, ``(image, label, index)`` and the like are unpacked, or
    ``item[1]`` is taken: one of what comes after the image, and of that the shape at most."""
    if isinstance(item, ast.Name):
        return _taken(item.id, body)
    if not isinstance(item, ast.Tuple):
        return None
    names = [part.id for part in item.elts if isinstance(part, ast.Name)]
    if len(names) != len(item.elts):
        return None
    shaped = _shaped(body)
    read: set[str] = set()
    of_shape = False
    for node in (each for part in body for each in walk(part)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id == names[0] and id(node) in shaped:
                of_shape = True
            else:
                read.add(node.id)
    used = [at for at, name in enumerate(names) if name in read]
    if used == [] and of_shape:
        return _Use(None, "", of_shape)
    return _Use(used[0], names[used[0]], of_shape) if len(used) == 1 and used[0] else None


def _shaped(body: list[ast.stmt] | list[ast.expr]) -> set[int]:
    """What is asked for its shape, by the ids of the nodes."""
    return {
        id(node.value)
        for part in body
        for node in walk(part)
        if isinstance(node, ast.Attribute) and node.attr in _SHAPES
    }


def _taken(name: str, body: list[ast.stmt] | list[ast.expr]) -> _Use | None:
    """What is taken of an item by its place, where nothing else is done with it."""
    shaped = _shaped(body)
    places: set[object] = set()
    of_shape = False
    taken = 0
    for node in (each for part in body for each in walk(part)):
        match node:
            case ast.Subscript(value=ast.Name(id=of), slice=ast.Constant(value=at)) if of == name:
                if at == 0 and id(node) in shaped:
                    of_shape = True
                else:
                    places.add(at)
                taken += 1
            case ast.Name(id=of, ctx=ast.Load()) if of == name:
                taken -= 1
    if taken != 0 or len(places) > 1:
        return None
    if not places:
        return _Use(None, "", of_shape) if of_shape else None
    match places.pop():
        case int(place) if place > 0:
            return _Use(place, "", of_shape)
        case str(key) if not of_shape:
            return _Use(key, key, of_shape)
    return None


def _indexed(target: ast.expr, iterable: ast.expr, body: list[ast.stmt] | list[ast.expr]) -> Iterator[_Pass]:
    """``dataset[i][1]``, or ``_, label = dataset[i]``, for every index: only a later part of the item is
    used."""
    if not isinstance(target, ast.Name):
        return
    indices, over = _source(iterable), ""
    if indices is None:
        if not isinstance(iterable, ast.Call) or dotted(iterable.func) not in ("range", "tqdm", "trange"):
            return
        over = ast.unparse(iterable)
        if "len(" not in over:
            return
    shaped = _shaped(body)
    taken: dict[str, _Pass] = {}
    whole: set[str] = set()
    inner: set[int] = set()
    for node in (each for part in body for each in walk(part)):
        match node:
            case ast.Subscript(
                value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item,
                slice=ast.Constant(value=int(at) | str(at)),
            ) if index == target.id and (at != 0 or id(node) in shaped) and (name := dotted(source)):
                use = _Use(at, at, False) if isinstance(at, str) else _Use(at or None, "", at == 0)
                before = taken.setdefault(name, _Pass(node, source, use)).use.part
                if None not in (before, use.part) and before != use.part:
                    whole.add(name)
                inner.add(id(item))
            case ast.Assign(
                targets=[target_of],
                value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item,
            ) if index == target.id and dotted(source) and (used := _use(target_of, body)):
                taken.setdefault(dotted(source) or "", _Pass(node.value, source, used))
                inner.add(id(item))
            case ast.Subscript(value=source, slice=ast.Name(id=index)) if (
                index == target.id and id(node) not in inner
            ):
                whole.add(dotted(source) or "")
    for name, found in taken.items():
        if name in whole:
            continue
        if indices is not None or re.search(rf"\blen\(\s*{re.escape(name)}\s*\)", over):
            yield found._replace(indices=indices, over=iterable)


def _is_decoded(program: Program, value: Value) -> bool:
    """Whether reading an item of a dataset is work: more than a look into memory."""
    if isinstance(value, Made):
        parts = [part for part, _ in inner(program.evaluator, value, HERE)]
        torchvisions = value.name.startswith("torchvision.datasets.") and is_dataset(value.name)
        return torchvisions or any(_is_decoded(program, part) for part in parts)
    if not isinstance(value, Instance):
        return False
    libraries = program.evaluator.classes.libraries(value.cls)
    if not any(is_dataset(name) for name in libraries) or any(
        is_iterable_dataset(name) for name in libraries
    ):
        return False
    return program.may_be_loaded(value.cls) and any(
        event.role == "dataset" and event.name not in IN_MEMORY and not event.name.startswith("builtins.")
        for event in program.code_of(value).events
    )


def _found(module: Module, found: _Pass) -> Found:
    name = dotted(found.source)
    wanted, cure = "its labels", "take the labels from where the dataset keeps them"
    if isinstance(found.use.part, str):
        wanted, cure = f"its {found.use.part!r}", "take that from where the dataset keeps it"
    if found.use.of_shape:
        wanted = "the shapes of its images" if found.use.part is None else "its labels and shapes"
        cure = "take them from where the dataset keeps them, and sizes from the files' headers"
    return Found(
        module,
        found.node,
        f"{name} is read item by item only for {wanted}: every sample is decoded and thrown away",
        "cost",
        cure,
    )
