"""What stands beside a pass over a dataset: whether another in the same function uses the images."""

from __future__ import annotations

import ast

from dlint.source.nodes import walk
from dlint.source.statements import dotted, target_names
from dlint.streams.items.handed import forwarded, handed
from dlint.streams.labels.passes import Pass, item_in, mapped_by
from dlint.streams.labels.uses import Use, field_of, measured_in, shaped_in, use_of
from dlint.streams.memory.stored import Field


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
            case ast.Call() if (mapped := mapped_by(node)) is not None:
                target, iterable, parts = mapped
            case _:
                continue
        through, giver = handed(iterable) if iterable is not found.node else (None, None)
        is_alike = giver is None or (found.giver is not None and dotted(giver) == dotted(found.giver))
        if (
            through is not None
            and dotted(through) == path
            and is_alike
            and _uses_another(item_in(target, iterable), found.use, parts)
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
    shaped, measured = shaped_in(body), measured_in(body)
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
        other = use_of(item, body)
        return other is None or other.part not in (None, use.part) or other.of_shape
    if isinstance(item, ast.Tuple) and item.elts and isinstance(item.elts[0], ast.Name):
        first = item.elts[0].id
        shaped = shaped_in(body)
        return any(
            isinstance(node, ast.Name)
            and node.id == first
            and isinstance(node.ctx, ast.Load)
            and id(node) not in shaped
            for node in nodes
        )
    if isinstance(item, ast.Name) and isinstance(use.part, Field):
        taken = [node for node in nodes if field_of(node, item.id) == use.part]
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
