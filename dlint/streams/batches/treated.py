"""What code treats as tensors, by what it asks of names and entries."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from dlint.knowledge.tensors import is_view, tells_holder, tells_tensor
from dlint.source.nodes import walk
from dlint.source.statements import dotted
from dlint.streams.memory.loops import each_gone_through
from dlint.streams.memory.places import View


class Tensors(NamedTuple):
    """What code treats as tensors, by what it asks of it (``images.size(0)``), as it is written; and what is
    a tensor or holds some (``batch.to(device)``)."""

    sure: frozenset[str]
    holding: frozenset[str]

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
