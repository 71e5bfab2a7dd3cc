"""What loops go through, past ``enumerate``, ``zip`` and a dict's views, what they count, and what they tell
of what each round has."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.source.nodes import walk
from dlint.source.statements import dotted, own_names


def each_gone_through(target: ast.expr, through: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a loop goes through, past ``enumerate``, ``zip`` and a dict's views, each with its target."""
    match through, target:
        case ast.Call(func=ast.Attribute(value=of, attr="values")), _:
            yield target, of
        case (
            (
                ast.Call(func=ast.Attribute(value=of, attr="items"))
                | ast.Call(func=ast.Name(id="enumerate"), args=[of, *_])
            ),
            ast.Tuple(elts=[_, inner]),
        ):
            yield from each_gone_through(inner, of)
        case ast.Call(func=ast.Name(id="zip"), args=sources), ast.Tuple(elts=parts):
            if len(sources) == len(parts):
                yield from zip(parts, sources, strict=True)
        case _:
            yield target, through


def is_of_values(through: ast.expr) -> bool:
    """Whether a loop goes through the values of a dict, all of them."""
    while isinstance(through, ast.Call) and isinstance(through.func, ast.Name) and through.args:
        if through.func.id != "enumerate":
            return False
        through = through.args[0]
    match through:
        case ast.Call(func=ast.Attribute(attr="items" | "values"), args=[]):
            return True
    return False


def key_gone_through(loop: ast.For) -> tuple[str | None, ast.expr]:
    """The name that a loop gives to keys, should it go through a dict, and that: ``for key, value in
    batch.items()``, or ``for key in batch``, where it asks for ``batch[key]``."""
    match loop.iter, loop.target:
        case (
            ast.Call(func=ast.Attribute(value=of, attr="items"), args=[]),
            ast.Tuple(elts=[ast.Name(id=name), _]),
        ):
            return name, of
        case (
            ast.Call(func=ast.Name(id="list" | "tuple" | "sorted"), args=[of]) | of,
            ast.Name(id=name),
        ):
            if isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute) and of.func.attr == "keys":
                of = of.func.value
            if dotted(of) is not None and any(
                isinstance(each, ast.Subscript)
                and isinstance(each.slice, ast.Name)
                and each.slice.id == name
                and dotted(each.value) == dotted(of)
                for each in walk(loop)
            ):
                return name, of
    return None, loop.iter


def counted_by(loop: ast.For) -> set[str]:
    """The names that a loop gives to whole numbers: of ``range``, and what ``enumerate`` counts."""
    match loop.iter, loop.target:
        case ast.Call(func=ast.Name(id="range")), ast.Name(id=name):
            return {name}
        case ast.Call(func=ast.Name(id="enumerate")), ast.Tuple(elts=[ast.Name(id=name), _]):
            return {name}
    return set()


def telling(around: ast.For | ast.FunctionDef) -> dict[str, list[ast.For]]:
    """The loops inside of one, or of a function, that go through the same things and do nothing but call
    methods of each (``for callback in callbacks: callback.on_batch(batch)``), by the name of their target,
    which names nothing else there."""
    found: dict[str, list[ast.For]] = {}
    bound: list[str] = []
    for each in walk(around):
        if isinstance(each, ast.stmt) and not isinstance(each, ast.FunctionDef):
            bound += own_names(each)
        told = _told(each) if isinstance(each, ast.For) else None
        if isinstance(each, ast.For) and told is not None and _tells(each, told):
            found.setdefault(told, []).append(each)
    return {
        name: loops
        for name, loops in found.items()
        if bound.count(name) == len(loops) and len({ast.unparse(each.iter) for each in loops}) == 1
    }


def _told(loop: ast.For) -> str | None:
    """The name that a loop gives to each thing: of a dict's entries to what stands under the keys."""
    match loop:
        case ast.For(target=ast.Name(id=name)):
            return name
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(), ast.Name(id=name)]),
            iter=ast.Call(func=ast.Attribute(attr="items"), args=[]),
        ):
            return name
    return None


def _whole(through: ast.expr) -> ast.expr:
    """What a loop goes through, of a dict's values the dict."""
    match through:
        case ast.Call(func=ast.Attribute(value=of, attr="values" | "items"), args=[], keywords=[]):
            return of
    return through


def _tells(loop: ast.For, name: str) -> bool:
    return all(
        isinstance(each, ast.Expr)
        and isinstance(each.value, ast.Call)
        and (dotted(called_on(each.value.func)) or "").partition(".")[0] == name
        for each in loop.body
    )


def called_on(callee: ast.expr) -> ast.expr:
    """What a method is called on, be it by its name (``getattr(callback, event)``); of what is none the
    callee itself."""
    match callee:
        case ast.Attribute(value=of) | ast.Call(func=ast.Name(id="getattr"), args=[of, _]):
            return of
    return callee


def stay(around: ast.For | ast.FunctionDef, inner: list[ast.For]) -> bool:
    """Whether what such loops go through is there before what is around them, and that does nothing else with
    it: callbacks are, not lists that a round makes, or empties by their own names."""
    through = _whole(inner[0].iter)
    parts = through.elts if isinstance(through, ast.Tuple | ast.List) else [through]
    paths = {dotted(part) or "" for part in parts}
    told = {id(node) for each in inner for node in walk(each.iter)}
    for node in walk(around):
        path = dotted(node) if isinstance(node, ast.Name | ast.Attribute) and id(node) not in told else None
        if path is not None and isinstance(node, ast.Name | ast.Attribute):
            is_set = isinstance(node.ctx, ast.Store)
            if path in paths or (is_set and any(each.startswith(f"{path}.") for each in paths)):
                return False
    return "" not in paths


def as_list(node: ast.expr) -> ast.expr:
    """What is gone through, as the list of what it gives where it is a generator or a ``map``."""
    match node:
        case ast.GeneratorExp(elt=each, generators=generators):
            return ast.copy_location(ast.ListComp(each, generators), node)
        case ast.Call(
            func=ast.Name(id="map"),
            args=[ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]), body=each), source],
        ):
            target = ast.Name(name, ast.Store())
            return ast.copy_location(ast.ListComp(each, [ast.comprehension(target, source, [], 0)]), node)
    return node
