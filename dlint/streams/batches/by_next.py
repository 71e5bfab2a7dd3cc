"""Loops that ask an iterator for each batch (``images, labels = next(batches)``), as ones over it; and so
what an engine does that runs over a loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlint.source.statements import dotted, last_name

_BARS = frozenset({"tqdm", "trange", "track"})


class Rounds(NamedTuple):
    """What says how many rounds there are: what is gone through, or the number that is counted to, and from
    where (0 where that is None)."""

    told_by: ast.expr
    is_number: bool
    begin: ast.expr | None = None


class ByNext(NamedTuple):
    """The same rounds as a loop over an iterator, and what else says how many there are."""

    loop: ast.For
    rounds: Rounds | None = None


def loops_by_next(loop: ast.For | ast.While) -> Iterator[ByNext]:
    """The loops over iterators that a loop is, which asks them for the next thing in each of its rounds."""
    taken = [(at, target, source) for at, each in enumerate(loop.body) for target, source in _taken(each)]
    for at, target, source in taken:
        rest = loop.body[:at] + loop.body[at + 1 :]
        if isinstance(loop, ast.For):
            rounds = rounds_of(loop.iter)
            counter: ast.expr = loop.target
            if isinstance(counter, ast.Tuple) or not rounds.is_number:
                counter = ast.copy_location(ast.Name("_", ast.Store()), loop.target)
            through = ast.Call(ast.Name("enumerate", ast.Load()), [source], [])
            both = ast.Tuple([counter, target], ast.Store())
            yield ByNext(_instead(loop, both, through, rest), rounds)
        elif _is_endless(loop.test) and _ends(loop.body[at]):
            yield ByNext(_instead(loop, target, source, rest))
        elif (number := _counted_to(loop)) is not None:
            yield ByNext(_instead(loop, target, source, rest), Rounds(number, True))
    match loop:
        case ast.While(
            test=ast.Compare(
                left=ast.NamedExpr(target=named, value=asked),
                ops=[ast.IsNot()],
                comparators=[ast.Constant(value=None)],
            )
        ) if (iterator := _asked(asked, default=True)) is not None:
            yield ByNext(_instead(loop, named, iterator, loop.body))


def loop_of_run(statement: ast.stmt, step: str) -> ast.For | None:
    """The loop that ``engine.run(loader)`` is, which hands each batch to what the engine keeps as its
    ``step``."""
    match statement:
        case ast.Expr(value=call) | ast.Assign(value=call):
            pass
        case _:
            return None
    match call:
        case ast.Call(func=ast.Attribute(value=engine, attr="run"), args=[loader, *_]):
            given = [engine, ast.Name("batch", ast.Load())]
            called = ast.Call(ast.Attribute(engine, step, ast.Load()), given, [])
            return _instead(statement, ast.Name("batch", ast.Store()), loader, [ast.Expr(called)])
    return None


def _instead(loop: ast.stmt, target: ast.expr, through: ast.expr, body: list[ast.stmt]) -> ast.For:
    made = ast.For(target, through, body or [ast.Pass()], [])
    return ast.fix_missing_locations(ast.copy_location(made, loop))


def _taken(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The target that a statement gives the next thing of an iterator, and that iterator: also where it
    begins anew, or where the loop ends, when there is none."""
    match statement:
        case ast.Assign(targets=[target], value=value) if (source := _asked(value)) is not None:
            yield target, source
        case ast.Try(
            body=[ast.Assign(targets=[target]) as first], handlers=[handler], orelse=[], finalbody=[]
        ):
            last = handler.body[-1]
            again = isinstance(last, ast.Assign) and ast.unparse(last.targets[0]) == ast.unparse(target)
            if again or isinstance(last, ast.Break):
                yield from _taken(first)


def _ends(statement: ast.stmt) -> bool:
    """Whether a loop ends when its iterator does: by a ``break``."""
    return isinstance(statement, ast.Try) and isinstance(statement.handlers[0].body[-1], ast.Break)


def _asked(value: ast.expr, *, default: bool = False) -> ast.expr | None:
    """The iterator, by its name, that an expression takes the next thing of; ``default`` where it gives None
    when there is none."""
    match value:
        case ast.Call(func=ast.Name(id="next"), args=[ast.Name() | ast.Attribute() as source]) if not default:
            return source if dotted(source) is not None else None
        case ast.Call(
            func=ast.Name(id="next"),
            args=[ast.Name() | ast.Attribute() as source, ast.Constant(value=None)],
        ) if default:
            return source if dotted(source) is not None else None
    return None


def _counted_to(loop: ast.While) -> ast.expr | None:
    """The number that a loop counts to, one by one: ``while step < len(loader)``."""
    match loop.test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.LtE()], comparators=[number]):
            for each in loop.body:
                match each:
                    case ast.AugAssign(
                        target=ast.Name(id=counted), op=ast.Add(), value=ast.Constant(value=1)
                    ) if counted == name:
                        return number
    return None


def rounds_of(through: ast.expr) -> Rounds:
    """What a loop goes through, and says by that how many rounds it has, or the number that it counts to."""
    while isinstance(through, ast.Call) and through.args:
        name = last_name(through.func)
        match name, through.args:
            case "range" | "trange", [number] | [ast.Constant(value=0 | 1), number]:
                return Rounds(number, True)
            case "range" | "trange", [begin, number]:
                return Rounds(number, True, begin)
        if name not in _BARS and name != "enumerate":
            break
        through = through.args[0]
    return Rounds(through, False)


def measured(number: ast.expr) -> list[ast.expr]:
    """What a number of rounds is the length of, or one of which: ``len(loader)``, what is a little less, and
    ``min(len(one), len(other))``; nothing where it is any other number."""
    match number:
        case ast.Call(func=ast.Name(id="len"), args=[of]):
            return [of]
        case ast.Call(func=ast.Name(id="min" | "max"), args=[*numbers]):
            each = [measured(one) for one in numbers]
            return [of for one in each for of in one] if all(each) else []
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant()):
            return measured(left)
    return []


def _is_endless(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)
