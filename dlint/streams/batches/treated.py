"""What code treats as tensors, by what it asks of names and entries, and where in a batch these are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from dlint.knowledge.tensors import is_view, tells_holder, tells_tensor
from dlint.source.nodes import children, walk
from dlint.source.statements import dotted, expressions, statements_in
from dlint.streams.memory.held import Held
from dlint.streams.memory.loops import each_gone_through
from dlint.streams.memory.places import Place, Values, View
from dlint.streams.memory.stored import ANY
from dlint.streams.memory.transfer import bind, inner_blocks, nothing


class Tensors(NamedTuple):
    """What code treats as tensors, by what it asks of it (``images.size(0)``), as it is written; and what is
    a tensor or holds some (``batch.to(device)``); and at which places of a batch such things are, under
    whatever name."""

    sure: frozenset[str]
    holding: frozenset[str]
    places: frozenset[Place] = frozenset()

    def are(self, node: ast.expr) -> bool:
        """Whether an expression is a tensor: it is asked for what tensors have, itself or what it is a view
        of, be that a part of something."""
        return any(ast.unparse(each) in self.sure for each in _bases(node))

    def hold(self, node: ast.expr, without: Set[str] = frozenset()) -> bool:
        """Whether an expression is a tensor, or holds one, be it ``without`` some keys."""
        begun = f"{ast.unparse(node)}["
        if without:
            gone = tuple(f"{begun}{key!r}]" for key in without)
            return any(text.startswith(begun) and not text.startswith(gone) for text in self.holding)
        if any(ast.unparse(each) in self.holding for each in _bases(node)):
            return True
        return any(text.startswith(begun) for text in self.holding)

    def hold_at(self, place: Place) -> bool:
        """Whether what is at a place of a batch is a tensor or holds some."""
        return any(
            len(place) <= len(shown) and all(map(_is_among, place, shown[: len(place)]))
            for shown in self.places
        )


def _is_among(key: object, asked: object) -> bool:
    """Whether a step of a place is one of those that were asked: all of a dict's values, or of a list."""
    return key == asked or asked is Values.EACH or (asked is ANY and isinstance(key, int))


def places_in(block: Sequence[ast.stmt], held: Held) -> Iterator[Place]:
    """The places of a batch at which a block treats things as tensors; what it goes through, where it does so
    with each. ``held`` is what has the batch's memory, and is kept up to date."""
    for statement in block:
        for expression in expressions(statement):
            yield from _places_of(expression, held, each=False)
        for within in held.rounds(statement) if isinstance(statement, ast.For) else ():
            yield from _places_of_each(statement.body, within)  # type: ignore[attr-defined]
        for inside in inner_blocks(statement):
            yield from places_in(inside, held.copy())
        bind(held, statement, nothing)


def _places_of_each(block: list[ast.stmt], held: Held) -> Iterator[Place]:
    """The same of the body of a loop through parts of the batch: of what it does with each of them."""
    if any(isinstance(each, ast.Continue | ast.Break) for each in statements_in(block)):
        return
    for statement in block:
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr):
            for expression in expressions(statement):
                yield from _places_of(expression, held, each=True)
        for within in held.rounds(statement) if isinstance(statement, ast.For) else ():
            yield from _places_of_each(statement.body, within)  # type: ignore[attr-defined]
        bind(held, statement, nothing)


def _places_of(node: ast.AST, held: Held, *, each: bool) -> Iterator[Place]:
    """The same of an expression; ``each`` where it is one of each part: no test may then pass some over."""
    match node:
        case ast.Lambda():
            return
        case ast.IfExp() | ast.BoolOp() if each:
            return
        case (
            ast.DictComp(value=made)
            | ast.ListComp(elt=made)
            | ast.SetComp(elt=made)
            | ast.GeneratorExp(elt=made)
        ):
            match node.generators:
                case [ast.comprehension(ifs=[]) as generator]:
                    yield from _places_of(made, held.inside(generator), each=True)
            return
        case ast.Attribute(value=base, attr=name) if tells_holder(name):
            view = held.view(base)
            if view is not None and view.known.place is not None:
                yield view.known.place
    for child in children(node):
        yield from _places_of(child, held, each=each)


def _holders(node: ast.ListComp | ast.DictComp) -> set[str]:
    """What a list or dict is made from each part of, as of a tensor: ``[{k: v.to(device) for k, v in
    each.items()} for each in targets]``."""
    made = node.value if isinstance(node, ast.DictComp) else node.elt
    if isinstance(made, ast.ListComp | ast.DictComp):
        asked = _holders(made)
    else:
        asked = {
            ast.unparse(each.value)
            for each in walk(made)
            if isinstance(each, ast.Attribute) and tells_holder(each.attr)
        }
    return {
        ast.unparse(source)
        for generator in node.generators
        if asked and not generator.ifs
        for target, source in each_gone_through(generator.target, generator.iter)
        if isinstance(target, ast.Name) and target.id in asked and dotted(source) is not None
    }


def _bases(node: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what it is a view of, by methods alone: what is asked of an object says nothing of
    its attributes."""
    yield node
    while True:
        match node:
            case ast.Attribute(attr=name) if not is_view(name):
                return
            case ast.Call(func=ast.Attribute(value=base)) | ast.Attribute(value=base):
                node = base
                yield node
            case _:
                return


def tensors_in(nodes: Sequence[ast.AST]) -> Tensors:
    """What statements or expressions treat as tensors."""
    sure: set[str] = set()
    holding: set[str] = set()
    for node in (each for root in nodes for each in walk(root)):
        match node:
            case ast.Attribute(value=base, attr=name) if tells_holder(name):
                (sure if tells_tensor(name) else holding).add(ast.unparse(base))
            case ast.Call(func=ast.Attribute(value=base, attr="size" | "view"), args=[_, *_]):
                sure.add(ast.unparse(base))
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name(id=name)):
                holding |= {f"{name}[{part.id}" for part in parts if isinstance(part, ast.Name)}
            case ast.ListComp() | ast.DictComp():
                holding |= _holders(node)
    for text in [*holding]:
        name, _, part = text.partition("[")
        if part.isidentifier() and part not in sure | holding:
            holding.discard(text)
    return Tensors(frozenset(sure), frozenset(sure | holding))


def shows_holder(view: View) -> bool:
    """Whether a view itself asks for what tensors have: ``value.cpu()``."""
    return any(isinstance(each, ast.Attribute) and tells_holder(each.attr) for each in walk(view.node))
