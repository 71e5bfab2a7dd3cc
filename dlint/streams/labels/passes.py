"""Passes over datasets as they are written: loops, comprehensions, ``map``, and loops over indices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.source.nodes import COMPREHENSIONS, walk
from dlint.source.statements import blocks, dotted, last_name, statements_in
from dlint.streams.items.handed import forwarded, handed
from dlint.streams.labels.uses import Use, measured_in, methods_in, picked_use, shaped_in, use_of
from dlint.streams.memory.stored import Field

# What ends as soon as it has found what it looks for.
_UNTIL = frozenset({"all", "any", "islice", "next", "takewhile"})


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


def passes(statement: ast.AST) -> Iterator[Pass]:
    """The passes of a statement that use a later part of the items alone, or a shape."""
    if isinstance(statement, ast.For):
        if _stops_early(statement.body):
            return
        source, giver = handed(statement.iter)
        item = item_in(statement.target, statement.iter)
        use = use_of(item, statement.body) if source is not None else None
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
            use = use_of(item_in(target, iterable), parts)
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
        if isinstance(node, ast.Call) and last_name(node.func) in _UNTIL
        for given in node.args
        if isinstance(given, ast.GeneratorExp | ast.Call)
    }


def _round(node: ast.AST) -> tuple[ast.expr, ast.expr, list[ast.expr]] | None:
    """The target of a comprehension, or of what ``map`` calls, what it goes through, and what it does with
    each thing."""
    if isinstance(node, ast.Call):
        return mapped_by(node)
    if not isinstance(node, COMPREHENSIONS) or len(node.generators) != 1:
        return None
    generator = node.generators[0]
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return generator.target, generator.iter, [*parts, *generator.ifs]


def mapped_by(call: ast.Call) -> tuple[ast.expr, ast.expr, list[ast.expr]] | None:
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
            match last_name(func), key.value:
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


def item_in(target: ast.expr, iterable: ast.expr) -> ast.expr:
    """The part of a loop's target that holds the item."""
    counted = isinstance(iterable, ast.Call) and (dotted(iterable.func) or "").endswith("enumerate")
    if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        return target.elts[1]
    return target


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
    shaped, measured, called = shaped_in(body), measured_in(body), methods_in(body)
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
                use = picked_use(at, of_shape=id(node) in shaped, measured=id(node) in measured)
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
            ) if index == target.id and dotted(source) and (used := use_of(target_of, body)):
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
