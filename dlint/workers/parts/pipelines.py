"""What a dataset of a library keeps, to be called when it is read: the transform of one of Hugging Face's
(``rows["train"].with_transform(augment)``), what maps and filters a stream, and the stages of webdataset."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.callbacks import (
    ANOTHER_FORMAT,
    MAKES_STREAM,
    SETS_TRANSFORM,
    STREAMS,
    WITH_TRANSFORM,
    runs_at_once,
    takes_transform,
)
from dlint.source.statements import statements_in
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import External, Made, Value

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.worlds import World

# So many calls, each on what the one before gives, are followed.
_FAR = 8
# The words by which a transform and a function that maps or filters are given.
_WORDS = ("transform", "function")


def kept_functions(
    evaluator: Evaluator, dataset: Value, world: World, *, surely: bool = False
) -> Iterator[Outcome]:
    """The functions that a dataset of Hugging Face's keeps, its own or of those that it is made of;
    ``surely``: only where it is no option whether it is a stream."""
    chain = _chain(evaluator, dataset, world)
    streams = any(_makes_stream(each, surely) for each in chain)
    replaced = False
    for at, part in enumerate(chain):
        method = part.name.rpartition(".")[2]
        before = chain[at - 1] if at else None
        for given, w in _set_on(evaluator, part, before, world) if not replaced else ():
            yield from evaluator.value_of(given, w)
        if not isinstance(part, Made):
            continue
        if (method == WITH_TRANSFORM and not replaced) or (streams and runs_at_once(part.name)):
            for given in _function(part.arguments):
                yield from evaluator.value_of(given, world)
        if method == MAKES_STREAM:
            return  # what a stream is made of is none
        # Takes the place of those before; what is mapped over a stream stays.
        replaced = replaced or method in (WITH_TRANSFORM, ANOTHER_FORMAT)


def parts_of_pipeline(evaluator: Evaluator, made: Made, world: World) -> Iterator[Outcome]:
    """What a pipeline of webdataset's is given, and the one that it goes on from: ``rows.map(crop)``."""
    for given in made.arguments.all():
        yield from evaluator.value_of(given, world)
    if isinstance(made.node, ast.Call) and isinstance(made.node.func, ast.Attribute):
        for value, w in evaluator.values(made.node.func.value, made.point, world):
            if isinstance(value, Made):
                yield value, w


def _chain(evaluator: Evaluator, dataset: Value, world: World) -> list[Made | External]:
    """A dataset, and those that it is made of one by one: what the calls on them give."""
    found: list[Made | External] = []
    waiting = [dataset]
    while len(waiting) == 1 and len(found) < _FAR:
        part = waiting[0]
        if not isinstance(part, Made | External) or not takes_transform(part.name):
            break
        found.append(part)
        waiting = []
        if isinstance(part, External):
            waiting = [part.owner] if part.owner is not None else []
        elif isinstance(part.node, ast.Call) and isinstance(part.node.func, ast.Attribute):
            waiting = [value for value, _ in evaluator.values(part.node.func.value, part.point, world)]
    return found


def _makes_stream(part: Made | External, surely: bool) -> bool:
    """Whether a call makes a dataset that does its work when it is read."""
    if not isinstance(part, Made):
        return False
    told = part.arguments.keywords.get(STREAMS)
    if told is None:
        return part.name.endswith(f".{MAKES_STREAM}")
    return bool(told.expression.value) if isinstance(told.expression, ast.Constant) else not surely


def _function(arguments: Arguments) -> list[Argument]:
    return [*arguments.positional[:1]] or [
        given for word, given in arguments.keywords.items() if word in _WORDS
    ]


def _set_on(
    evaluator: Evaluator, part: Made | External, later: Made | External | None, world: World
) -> Iterator[tuple[Argument, World]]:
    """The functions that the scope which makes a dataset sets to be called for each item, before another one
    is made of it there: ``rows["train"].set_transform(augment)``. What it sets only under a condition
    (``if split == "train"``) belongs to the worlds in which it comes to that."""
    point = part.point if isinstance(part, Made) else part.owner.point if part.owner is not None else None
    if point is None or isinstance(point.frame.scope, ast.Lambda):
        return
    last = getattr(later.node, "lineno", None) if isinstance(later, Made) else None
    for statement in statements_in(point.frame.scope.body):
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=method)) as call) if (
                method == SETS_TRANSFORM and (last is None or call.lineno < last)
            ):
                at = Point(point.frame, statement)
                if any(value.key == part.key for value, _ in evaluator.values(held, at, world)):
                    words = {word.arg: Argument(word.value, at) for word in call.keywords if word.arg}
                    given = Arguments([Argument(each, at) for each in call.args], words)
                    for w in evaluator.flow.reaching(at, world):
                        yield from ((function, w) for function in _function(given))
