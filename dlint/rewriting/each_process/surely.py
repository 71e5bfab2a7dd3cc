"""Whether a place in a function is surely come to, once another one has been (errors aside)."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from dlint.rewriting.source import Source

_MAYBE = (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.BaseComp)


def follows(source: Source, first: cst.CSTNode, place: cst.CSTNode) -> bool:
    """Whether a place is come to whenever ``first`` has been evaluated, which stands before it or in it."""
    if source.encloses(place, first):
        return True
    around: cst.CSTNode | None = place
    while around is not None:
        before = _before(source, around)
        if before is None:
            return False
        at = next((i for i, each in enumerate(before) if source.encloses(each, first)), None)
        if any(_leaves(source, each) for each in before[at or 0 :]):
            return False
        if at is not None:
            return True
        around = _around(source, around, cst.With)
    return False


def is_in_each_round(source: Source, loop: cst.For, place: cst.CSTNode) -> bool:
    """Whether each round of a loop comes to a place in its body."""
    around: cst.CSTNode | None = place
    while around is not None:
        before = _before(source, around)
        if before is None or any(_leaves(source, each) for each in before):
            return False
        if source.parent(source.line_of(around)) is loop.body:
            return True
        around = _around(source, around, cst.With, cst.Try)
    return False


def is_surely_evaluated(source: Source, place: cst.CSTNode, whole: cst.CSTNode) -> bool:
    """Whether an expression is evaluated wherever the statement or comprehension ``whole`` that it stands in
    is (of a comprehension: in each round)."""
    return not any(
        isinstance(each, _MAYBE) and source.encloses(whole, each) for each in source.ancestors(place)
    )


def _before(source: Source, place: cst.CSTNode) -> Sequence[cst.CSTNode] | None:
    """The statements of its block that stand before the place's; None where that may leave the place out."""
    line = source.line_of(place)
    block = source.parent(line)
    if not isinstance(block, cst.IndentedBlock) or not is_surely_evaluated(source, place, line):
        return None
    body = list(block.body)
    return body[: next(index for index, each in enumerate(body) if each is line)]


def _around(source: Source, place: cst.CSTNode, *types: type[cst.CSTNode]) -> cst.CSTNode | None:
    """The statement of one of these types whose own body a place stands in, where it is the innermost."""
    block = source.parent(source.line_of(place))
    above = source.parent(block) if block is not None else None
    return above if isinstance(above, types) and getattr(above, "body", None) is block else None


def _leaves(source: Source, statement: cst.CSTNode) -> bool:
    """Whether a statement may lead out of the block that it stands in."""
    for way in source.descendants(statement, cst.Return, cst.Break, cst.Continue):
        function = source.function_of(way)
        if function is not None and source.encloses(statement, function):
            continue
        loop = source.enclosing(way, cst.For, cst.While)
        if isinstance(way, cst.Return) or not (loop is statement or source.encloses(statement, loop)):
            return True
    return False
