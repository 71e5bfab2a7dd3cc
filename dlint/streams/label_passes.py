"""Passes over datasets as they are written: what they use of the items, and what stands beside them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.source.nodes import COMPREHENSIONS, walk
from dlint.source.statements import blocks, dotted, statements_in, target_names
from dlint.streams.handed_items import forwarded, handed
from dlint.streams.memory.stored import Field
from dlint.streams.parts import Place

# What ends as soon as it has found what it looks for.
_UNTIL = frozenset({"all", "any", "islice", "next", "takewhile"})
# What an image is asked for that its file says in the header.
_SHAPES = frozenset({"shape", "size", "ndim", "dim", "height", "width"})


class Use(NamedTuple):
    """What a pass uses of the items: a later part and what it calls that, the shape of the first, or both;
    and the part of which it only asks how long it is (``len(item["sound"])``), or which shape it has."""

    part: Place
    name: str
    of_shape: bool
    measured: Place = None

    def of_all(self) -> Use | None:
        """The same use, where only reading the part tells how long it is: of the part itself."""
        if self.part is not None or self.measured in (None, 0):
            return None
        return Use(self.measured, self.name, self.of_shape)


class Pass(NamedTuple):
    """Where a pass stands, what it goes through, and what it uses of the items; also which indices it goes
    through, where that are not surely all, what it counts up, where it takes items by index, and what is
    called to give it the items, if it has them from a function, or to pick the part that it uses, which is
    not known yet."""

    node: ast.expr
    source: ast.expr
    use: Use
    indices: ast.expr | None = None
    over: ast.expr | None = None
    giver: ast.expr | None = None
    picker: ast.expr | None = None


def _scope(trail: list[ast.AST]) -> ast.AST:
    """The function that a statement stands in, or the module."""
    return next(
        node
        for node in reversed(trail)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module)
    )


def _fold_of(trail: list[ast.AST], found: Pass) -> ast.AST:
    """The loop around a pass that makes the indices which it goes through, or the function."""
    name = dotted(found.indices) if found.indices is not None else None
    return next(
        (node for node in reversed(trail) if isinstance(node, ast.For) and name in target_names(node.target)),
        _scope(trail),
    )


def reads_images(trail: list[ast.AST], found: Pass) -> bool:
    """Whether another pass in the same function uses the first part of the items: nothing is loaded in vain
    that is not wanted as well."""
    path = dotted(found.source)
    inside = {id(node) for node in walk(_fold_of(trail, found))} if found.over is not None else set()
    given = forwarded(found.node)
    for node in walk(_scope(trail)):
        match node:
            case _ if node is given:
                continue  # what it has its items from
            case ast.For(target=target, iter=iterable, body=body):
                parts: list[ast.stmt] | list[ast.expr] = body
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() if len(node.generators) == 1:
                target, iterable, parts = node.generators[0].target, node.generators[0].iter, [node.elt]
            case ast.Call() if (mapped := _mapped(node)) is not None:
                target, iterable, parts = mapped
            case _:
                continue
        through, giver = handed(iterable) if iterable is not found.node else (None, None)
        is_alike = giver is None or (found.giver is not None and dotted(giver) == dotted(found.giver))
        if (
            through is not None
            and dotted(through) == path
            and is_alike
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


def _goes_as_far(iterable: ast.expr, found: Pass, path: str, beside: bool) -> bool:
    """Whether a loop counts up all indices, or those that a pass beside it goes through."""
    over = ast.unparse(iterable)
    return f"len({path})" in over or (beside and found.over is not None and ast.unparse(found.over) == over)


def _picks_images(target: ast.expr, body: list[ast.stmt] | list[ast.expr], found: Pass, path: str) -> bool:
    """Whether a loop over indices takes the first part of the items."""
    if not isinstance(target, ast.Name):
        return False
    shaped, measured = _shaped(body), _measured(body)
    inner: set[int] = set()
    for node in (each for part in body for each in walk(part)):
        match node:
            case ast.Subscript(
                value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item,
                slice=ast.Constant(value=at),
            ) if index == target.id and dotted(source) == path:
                is_asked = id(node) in shaped or (id(node) in measured and at == found.use.measured)
                if (at != found.use.part if isinstance(at, str) else at == 0) and not is_asked:
                    return True
                inner.add(id(item))
            case ast.Attribute(
                value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item, attr=attr
            ) if index == target.id and dotted(source) == path and Field(attr) == found.use.part:
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


def _uses_another(item: ast.expr, use: Use, body: list[ast.stmt] | list[ast.expr]) -> bool:
    """Whether a pass uses the first part of the items, or what has another key."""
    nodes = [node for part in body for node in walk(part)]
    if use.measured is not None:
        other = _use(item, body)
        return other is None or other.part not in (None, use.part) or other.of_shape
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
    if isinstance(item, ast.Name) and isinstance(use.part, Field):
        taken = [node for node in nodes if _field_of(node, item.id) == use.part]
        named = [node for node in nodes if isinstance(node, ast.Name) and node.id == item.id]
        return len(taken) < len(named)
    return isinstance(item, ast.Name) and any(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == item.id
        and isinstance(node.slice, ast.Constant)
        and (node.slice.value != use.part if isinstance(use.part, str) else node.slice.value == 0)
        for node in nodes
    )


def _methods(body: list[ast.stmt] | list[ast.expr]) -> set[int]:
    """What is called, by the ids of the nodes: a method is no part of an item (``image.save(...)``)."""
    return {id(node.func) for part in body for node in walk(part) if isinstance(node, ast.Call)}


def _field_of(node: ast.AST, name: str) -> Field | None:
    """The attribute that is taken of what a name stands for."""
    match node:
        case ast.Attribute(value=ast.Name(id=of), attr=attr, ctx=ast.Load()) if of == name:
            return Field(attr)
    return None


def passes(statement: ast.AST) -> Iterator[Pass]:
    """The passes of a statement that use a later part of the items alone, or a shape."""
    if isinstance(statement, ast.For):
        if _stops_early(statement.body):
            return
        source, giver = handed(statement.iter)
        item = _item(statement.target, statement.iter)
        use = _use(item, statement.body) if source is not None else None
        if source is not None and use is not None:
            yield Pass(statement.iter, source, use, giver=giver)
        yield from _indexed(statement.target, statement.iter, statement.body)
        heads: list[ast.AST] = [statement.iter]
    elif isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return):
        heads = [statement.value] if statement.value is not None else []
    else:
        return
    for head in heads:
        some = _taken_until(head)
        for node in walk(head):
            round_ = _round(node) if id(node) not in some else None
            if round_ is None:
                continue
            target, iterable, parts = round_
            source, giver = handed(iterable)
            use = _use(_item(target, iterable), parts)
            if source is not None and use is not None:
                yield Pass(iterable, source, use, giver=giver)
            yield from _indexed(target, iterable, parts)
        yield from _turned(statement, head, some)
        for node in walk(head):
            match node:
                case ast.Call(
                    func=ast.Name(id="filter"),
                    args=[ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]), body=test), indices],
                ) if id(node) not in some:
                    yield from _indexed(ast.Name(name, ast.Store()), indices, [test])


def _turned(statement: ast.AST, head: ast.AST, some: set[int]) -> Iterator[Pass]:
    """The passes of one column of all items: ``_, labels = zip(*dataset)``, ``list(zip(*dataset))[1]``."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as columns) if (
            source := _turned_over(columns)
        ) is not None:
            names = [each.id for each in targets if isinstance(each, ast.Name)]
            kept = [(at, name) for at, name in enumerate(names) if name != "_"]
            if len(names) == len(targets) and names[:1] == ["_"] and len(kept) == 1:
                yield Pass(columns, source, Use(*kept[0], False))
    for node in walk(head):
        match node:
            case ast.Subscript(
                value=ast.Call(func=ast.Name(id="list" | "tuple"), args=[turned])
                | ast.List(elts=[ast.Starred(value=turned)]),
                slice=ast.Constant(value=int(at)),
            ) if at > 0 and id(turned) not in some and (source := _turned_over(turned)) is not None:
                yield Pass(turned, source, Use(at, "", False))


def _turned_over(node: ast.expr) -> ast.expr | None:
    """The items whose parts ``zip`` puts together, the first of all and so on."""
    match node:
        case ast.Call(func=ast.Name(id="zip"), args=[ast.Starred(value=source)], keywords=[]):
            source = forwarded(source)
            return source if dotted(source) is not None else None
    return None


def _taken_until(head: ast.AST) -> set[int]:
    """What is gone through only until something is found (``next(...)``, ``any(...)``), by the ids of the
    nodes."""
    return {
        id(given)
        for node in walk(head)
        if isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] in _UNTIL
        for given in node.args
        if isinstance(given, ast.GeneratorExp | ast.Call)
    }


def _round(node: ast.AST) -> tuple[ast.expr, ast.expr, list[ast.expr]] | None:
    """The target of a comprehension, or of what ``map`` calls, what it goes through, and what it does with
    each thing."""
    if isinstance(node, ast.Call):
        return _mapped(node)
    if not isinstance(node, COMPREHENSIONS) or len(node.generators) != 1:
        return None
    generator = node.generators[0]
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return generator.target, generator.iter, [*parts, *generator.ifs]


def _mapped(call: ast.Call) -> tuple[ast.expr, ast.expr, list[ast.expr]] | None:
    """The same of ``map(lambda item: item[1], dataset)`` and ``map(itemgetter(1), dataset)``."""
    match call:
        case ast.Call(func=ast.Name(id="map"), args=[made, through], keywords=[]):
            pass
        case _:
            return None
    match made:
        case ast.Lambda(
            args=ast.arguments(posonlyargs=[], args=[ast.arg(arg=name)], kwonlyargs=[]), body=body
        ):
            return ast.Name(name, ast.Store()), through, [body]
        case ast.Call(func=func, args=[ast.Constant() as key], keywords=[]):
            item = ast.Name("item", ast.Load())
            match (dotted(func) or "").rpartition(".")[2], key.value:
                case "itemgetter", _:
                    return ast.Name("item", ast.Store()), through, [ast.Subscript(item, key, ast.Load())]
                case "attrgetter", str(name):
                    return ast.Name("item", ast.Store()), through, [ast.Attribute(item, name, ast.Load())]
    return None


def _stops_early(body: list[ast.stmt]) -> bool:
    """Whether a loop may end before its last round: a look at some items."""
    if any(isinstance(each, ast.Return) for each in statements_in(body)):
        return True
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
    node = forwarded(node)
    return node if dotted(node) is not None else None


def _item(target: ast.expr, iterable: ast.expr) -> ast.expr:
    """The part of a loop's target that holds the item."""
    counted = isinstance(iterable, ast.Call) and (dotted(iterable.func) or "").endswith("enumerate")
    if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        return target.elts[1]
    return target


def _use(item: ast.expr, body: list[ast.stmt] | list[ast.expr]) -> Use | None:
    """What is used where ``(image, label)``, ``(image, label, index)`` and the like are unpacked, or
    ``item[1]`` is taken: one of what comes after the image, and of that the shape at most."""
    if isinstance(item, ast.Name):
        return _taken(item.id, body)
    if not isinstance(item, ast.Tuple):
        return None
    # What is stored in an entry is used, whatever becomes of it: ``_, labels[i] = dataset[i]``.
    stored = {at for at, part in enumerate(item.elts) if isinstance(part, ast.Subscript | ast.Attribute)}
    names = [part.id if isinstance(part, ast.Name) else (_called(part) or "") for part in item.elts]
    if 0 in stored or not all(names):
        return None
    shaped, measured = _shaped(body), _measured(body)
    read: set[str] = set()
    sized: set[str] = set()
    of_shape = False
    for node in (each for part in body for each in walk(part)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id == names[0] and id(node) in shaped:
                of_shape = True
            else:
                (sized if id(node) in measured else read).add(node.id)
    used = [at for at, name in enumerate(names) if at in stored or name in read]
    long = [at for at, name in enumerate(names) if name in sized and at not in used]
    if len(used) > 1 or len(long) > 1 or 0 in used:
        return None
    part, name = (used[0], names[used[0]]) if used else (None, "")
    return _used(part, name, of_shape, next(((at, names[at]) for at in long), None))


def _used(part: Place, name: str, of_shape: bool, sized: tuple[Place, str] | None) -> Use | None:
    """A use, should it be of anything: what is ``sized``, with its name, is one beside the shape of the
    first."""
    measured, called = sized or (None, "")
    if part is None and measured is not None:
        return Use(measured, called, True) if of_shape else Use(None, called, False, measured)
    if measured is not None and of_shape:
        return None
    return Use(part, name, of_shape, measured) if part is not None or of_shape else None


def _called(part: ast.expr) -> str | None:
    """What the holder of an entry, or an attribute, is called."""
    whole = part.value if isinstance(part, ast.Subscript) else part
    return (
        (dotted(whole) or "").rpartition(".")[2] if isinstance(part, ast.Subscript | ast.Attribute) else None
    )


def _shaped(body: list[ast.stmt] | list[ast.expr]) -> set[int]:
    """What is asked for its shape, by the ids of the nodes."""
    return {
        id(node.value)
        for part in body
        for node in walk(part)
        if isinstance(node, ast.Attribute) and node.attr in _SHAPES
    }


def _measured(body: list[ast.stmt] | list[ast.expr]) -> set[int]:
    """What is asked only how long it is, or for its shape, by the ids of the nodes."""
    lengths = {
        id(node.args[0])
        for part in body
        for node in walk(part)
        if isinstance(node, ast.Call) and dotted(node.func) == "len" and len(node.args) == 1
    }
    return _shaped(body) | lengths


def _taken(name: str, body: list[ast.stmt] | list[ast.expr]) -> Use | None:
    """What is taken of an item by its place, where nothing else is done with it."""
    shaped, measured, called = _shaped(body), _measured(body), _methods(body)
    places: set[object] = set()
    sized: set[int | str] = set()
    of_shape = False
    taken = 0
    for node in (each for part in body for each in walk(part)):
        match node:
            case ast.Subscript(value=ast.Name(id=of), slice=ast.Constant(value=at)) if of == name:
                if at == 0 and id(node) in shaped:
                    of_shape = True
                elif id(node) in measured and isinstance(at, int | str):
                    sized.add(at)
                else:
                    places.add(at)
                taken += 1
            case ast.Attribute() if id(node) not in called and (field := _field_of(node, name)) is not None:
                places.add(field)
                taken += 1
            case ast.Name(id=of, ctx=ast.Load()) if of == name:
                taken -= 1
    sizes = sized - places
    size = next(((each, each if isinstance(each, str) else "") for each in sizes), None)
    if taken != 0 or len(places) > 1 or len(sizes) > 1:
        return None
    if not places:
        return _used(None, "", of_shape, size)
    match places.pop():
        case int(place) if place > 0:
            return _used(place, "", of_shape, size)
        case str(key) if not of_shape:
            return _used(key, key, of_shape, size)
        case Field() as field if not of_shape:
            return _used(field, field.name, of_shape, size)
    return None


def _picked(at: int | str, *, of_shape: bool, measured: bool) -> Use:
    """The use of one part of an item, of which a pass may ask only the shape, or how long it is."""
    name = at if isinstance(at, str) else ""
    if at == 0 and of_shape:
        return Use(None, name, True)
    return Use(None, name, False, at) if measured else Use(at, name, False)


def _indexed(target: ast.expr, iterable: ast.expr, body: list[ast.stmt] | list[ast.expr]) -> Iterator[Pass]:
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
    shaped, measured, called = _shaped(body), _measured(body), _methods(body)
    taken: dict[str, Pass] = {}
    picked: dict[str, list[ast.Call]] = {}
    whole: set[str] = set()
    inner: set[int] = set()
    for node in (each for part in body for each in walk(part)):
        match node:
            case ast.Subscript(
                value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item,
                slice=ast.Constant(value=int(at) | str(at)),
            ) if index == target.id and (at != 0 or id(node) in measured) and (name := dotted(source)):
                use = _picked(at, of_shape=id(node) in shaped, measured=id(node) in measured)
                before = taken.setdefault(name, Pass(node, source, use)).use
                if None not in (before.part, use.part) and before.part != use.part:
                    whole.add(name)
                if before.measured != use.measured:
                    whole.add(name)
                inner.add(id(item))
            case ast.Attribute(
                value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item, attr=attr
            ) if index == target.id and id(node) not in called and (name := dotted(source)):
                part = Field(attr)
                if taken.setdefault(name, Pass(node, source, Use(part, attr, False))).use.part != part:
                    whole.add(name)
                inner.add(id(item))
            case ast.Assign(
                targets=[target_of],
                value=ast.Subscript(value=source, slice=ast.Name(id=index)) as item,
            ) if index == target.id and dotted(source) and (used := _use(target_of, body)):
                taken.setdefault(dotted(source) or "", Pass(node.value, source, used))
                inner.add(id(item))
            case ast.Call(args=[source, ast.Name(id=index)], keywords=[]) if (
                index == target.id and dotted(node.func) and (name := dotted(source))
            ):
                picked.setdefault(name, []).append(node)
            case ast.Subscript(value=source, slice=ast.Name(id=index)) if (
                index == target.id and id(node) not in inner
            ):
                whole.add(dotted(source) or "")
    for name, calls in picked.items():
        # Whatever else is told of the dataset may take the whole item.
        if len({dotted(each.func) for each in calls}) == 1 and _times(name, body) == len(calls):
            by_picker = Pass(calls[0], calls[0].args[0], Use(None, "", False), picker=calls[0].func)
            taken.setdefault(name, by_picker)
    for name, found in taken.items():
        if name in whole:
            continue
        if indices is not None or re.search(rf"\blen\(\s*{re.escape(name)}\s*\)", over):
            yield found._replace(indices=indices, over=iterable)


def _times(name: str, body: list[ast.stmt] | list[ast.expr]) -> int:
    """How often something is read by its name."""
    nodes = (node for part in body for node in walk(part))
    return sum(isinstance(node, ast.Name | ast.Attribute) and dotted(node) == name for node in nodes)
