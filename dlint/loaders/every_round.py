"""Which rounds of a loop a test lets through: all that this process makes, all from one on, or some now and
then."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.evaluation.options.by_default import asked_by, is_by_default
from dlint.knowledge.randomness import sounds_like_settings
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import (
    dotted,
    functions_in,
    last_name,
    own_names,
    self_name,
    statements_in,
    steps,
    target_names,
)
from dlint.values.frame import Point
from dlint.values.places import LOOPS, places_around, tests_at
from dlint.values.usual import usually

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# What tells one process from the others, and is the same as long as it lives.
_PROCESS = regex(
    r"(?:^|_)rank(?:_?(?:0|zero))?$|process_index$|(?:main|master|chief)(?:_process|_proc|_rank|_node)?$"
    r"|(?:global|local)_zero$",
    re.IGNORECASE,
)
# What rounds are called, or what counts them.
_OF_STEPS = regex(r"step|batch|iter", re.IGNORECASE)
_OF_EPOCHS = regex(r"epoch|round", re.IGNORECASE)
# So many rounds are not one epoch each.
_MANY = 50


class Test(NamedTuple):
    """A test on the way to a point in a loop: what it must be, and whether it leaves the round otherwise."""

    node: ast.expr
    wanted: bool
    leaves: bool


def tests_in(loop: ast.stmt, point: Point) -> Iterator[Test]:
    """The tests that decide, in each round of a loop, whether control comes to a point."""
    for place in places_around(point):
        yield from (Test(*each) for each in tests_at(place))
        if place.owner is loop:
            return


def is_now_and_then(test: Test, loop: ast.stmt, point: Point) -> bool:
    """Whether a test lets only some rounds through: ``step % 100 == 0``, ``step == 0``, or asks for what the
    loop sets. One that leaves the round may look for what cannot be used: it has to be about the number of
    the round."""
    if test.leaves:
        grown = _counters(loop)
        telling = any(
            isinstance(node, ast.Mod)
            or (isinstance(node, ast.Name | ast.Attribute) and dotted(node) in grown)
            for node in walk(test.node)
        )
    else:
        bound = point.frame.layout.bound_by(loop)
        telling = any(
            isinstance(node, ast.Mod | ast.Compare | ast.Not)
            or (isinstance(node, ast.Name | ast.Attribute) and dotted(node) in bound)
            for node in walk(test.node)
        )
    return telling and not lets_through(test.node, test.wanted, loop, point)


def lets_through(test: ast.expr, wanted: bool, loop: ast.stmt, point: Point, *, alone: bool = False) -> bool:
    """Whether a test is the same in all rounds (``rank == 0``), comes out so from one round on (``step > 3``)
    or nearly always (``torch.isfinite(loss)``): in those of the loop ``alone``, whatever is set by loops
    around it (``phase == "val"``), or of these, too."""
    if usually(test, wanted):
        return True
    within = loop if alone else None
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return lets_through(operand, not wanted, loop, point, alone=alone)
        case ast.BoolOp(op=op, values=values):
            each = [lets_through(value, wanted, loop, point, alone=alone) for value in values]
            return all(each) if isinstance(op, ast.And) is wanted else any(each)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            if _is_same(left, point, within) and _is_same(right, point, within):
                return True
            return _grows_past(left, op, right, wanted, loop, point)
    return _is_of_process(test, point, within)


def nearly_always(evaluator: Evaluator, test: ast.expr, wanted: bool, point: Point) -> bool:
    """Whether a test comes out as ``wanted`` in nearly all rounds, whatever they are about: what is asked for
    there cannot be used else (``torch.isfinite(loss)``), or is what nobody has asked for by default
    (``args.debug``, ``limit is not None and step >= limit``)."""
    if usually(test, wanted):
        return True
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return nearly_always(evaluator, operand, not wanted, point)
        case ast.BoolOp(op=op, values=values):
            each = (nearly_always(evaluator, value, wanted, point) for value in values)
            return all(each) if isinstance(op, ast.And) is wanted else any(each)
    asked = asked_by(test)
    if asked is None or not _is_same(asked, point, None):
        return False
    evaluator.start()
    return is_by_default(evaluator, test, wanted, point)


def is_seldom(test: ast.expr, wanted: bool, loop: ast.stmt, *, of_steps: bool) -> bool:
    """Whether a test lets one of many rounds through, by their number: ``step % 500 == 0``. Where the rounds
    may be epochs, those in between must be as many as no one trains between two evaluations, or be called
    steps."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_seldom(operand, not wanted, loop, of_steps=of_steps)
        case ast.BoolOp(op=op, values=values):
            each = [is_seldom(value, wanted, loop, of_steps=of_steps) for value in values]
            return any(each) if isinstance(op, ast.And) is wanted else all(each)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
            return isinstance(op, ast.Eq) is wanted and (
                _is_every(left, loop, of_steps) or any(_is_number_of(each, loop) for each in (left, right))
            )
    return not wanted and _is_every(test, loop, of_steps)


def _is_number_of(node: ast.expr, loop: ast.stmt) -> bool:
    """Whether an expression is the number of a round, be it counted from another (``step + 1``)."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant()):
            node = left
    return dotted(node) in _counters(loop)


def _is_every(node: ast.expr, loop: ast.stmt, of_steps: bool) -> bool:
    """Whether an expression is 0 in one of many rounds: ``(step + 1) % args.every``."""
    match node:
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            parts = [each for part in (left, right) for each in walk(part)]
            named = [dotted(each) or "" for each in parts if isinstance(each, ast.Name | ast.Attribute)]
            if any(map(_OF_EPOCHS.search, named)) or _counters(loop).isdisjoint(named):
                return False
            if isinstance(right, ast.Constant):
                many = isinstance(right.value, int) and right.value >= (2 if of_steps else _MANY)
                return many or (any(map(_OF_STEPS.search, named)) and right.value != 1)
            return of_steps or any(map(_OF_STEPS.search, named))
    return False


def _is_same(node: ast.expr, point: Point, loop: ast.stmt | None) -> bool:
    """Whether an expression is the same in every round of a loop, of all around a point where none is given:
    what tells processes apart, a constant, a variable of the function that the loop does not set, a setting,
    or what only the constructor of the object sets."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_same(operand, point, loop)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return all(_is_same(part, point, loop) for part in parts)
        case ast.Name(id=name) if name in _given(point):
            return not _is_set(name, point, loop)
        case ast.Attribute():
            path = dotted(node)
            if path is not None and (_is_setting(path) or _is_set_once(path, point)):
                return not _is_set(path, point, loop)
        case ast.Subscript() | ast.Call() if (entry := _entry(node)) is not None:
            return not _is_set(entry[0], point, loop)
    return _is_of_process(node, point, loop)


def _is_setting(path: str) -> bool:
    """Whether something is held by what is called as a program's settings are: ``self.args.weight``."""
    return any(sounds_like_settings(part) for part in path.split(".")[:-1])


def _entry(node: ast.expr) -> tuple[str, str] | None:
    """The settings that an expression reads an entry of, and the entry's own name: ``cfg["rank"]``,
    ``self.opt["train"].get("rank")``."""
    holder, keys = steps(node)
    path = dotted(holder)
    names = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    if path is None or not names or len(names) < len(keys):
        return None
    return (path, names[-1]) if any(map(sounds_like_settings, path.split("."))) else None


def _is_set_once(path: str, point: Point) -> bool:
    """Whether of the methods of the object's class its constructor alone sets an attribute."""
    scope, owner = point.frame.scope, point.frame.owner
    if owner is None or not isinstance(scope, ast.FunctionDef) or path.count(".") != 1:
        return False
    holder, _, name = path.partition(".")
    if self_name(scope) != holder:
        return False
    setting = {
        function.name
        for function in functions_in(owner.node.body)
        for statement in statements_in(function.body)
        if any(each.partition(".")[2] == name for each in own_names(statement))
    }
    return setting == {"__init__"}


def _is_of_process(node: ast.expr, point: Point, loop: ast.stmt | None) -> bool:
    """Whether an expression asks which process this is: ``rank``, ``dist.get_rank()``,
    ``accelerator.is_main_process``."""
    entry = _entry(node)
    if entry is not None:
        return _PROCESS.search(entry[1]) is not None and not _is_set(entry[0], point, loop)
    if isinstance(node, ast.Call):
        node = node.func if not node.args and not node.keywords else node
    path = dotted(node)
    return (
        path is not None
        and _PROCESS.search(path.rpartition(".")[2]) is not None
        and not _is_set(path, point, loop)
    )


def _given(point: Point) -> set[str]:
    """The variables of the function that a point is in, with its parameters."""
    scope, found = point.frame.scope, set(point.frame.layout.binds)
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = scope.args
        found |= {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return found


def _is_set(path: str, point: Point, outermost: ast.stmt | None) -> bool:
    """Whether a loop around a point sets what is read by a name, of those up to the ``outermost``."""
    for place in places_around(point):
        if isinstance(place.owner, LOOPS) and path in point.frame.layout.bound_by(place.owner):
            return True
        if place.owner is outermost:
            break
    return path in point.frame.module.shared_names


def _counters(loop: ast.stmt) -> frozenset[str]:
    """What counts the rounds of a loop: it only grows there, or is the number that the loop gives."""
    assert isinstance(loop, LOOPS)
    found: set[str] = set()
    if not isinstance(loop, ast.While) and isinstance(loop.iter, ast.Call):
        names = target_names(loop.target)
        called = last_name(loop.iter.func)
        if called in ("range", "trange", "count"):
            found.update(names)
        elif any(isinstance(each, ast.Call) and dotted(each.func) == "enumerate" for each in walk(loop.iter)):
            found.update(names[:1])
    others: set[str] = set()
    grown: set[str] = set()
    for statement in statements_in(loop.body):
        match statement:
            case ast.AugAssign(op=ast.Add(), value=ast.Constant(value=int(step))) if step > 0:
                grown.update(own_names(statement))
            case _:
                others.update(own_names(statement))
    return frozenset((found | grown) - others)


def _ends(number: ast.expr, loop: ast.stmt) -> bool:
    """Whether a loop goes on to a number that stands under a name."""
    path = dotted(number)
    limit = getattr(loop, "iter", None) or getattr(loop, "test", None)
    return path is not None and any(
        isinstance(node, ast.expr) and dotted(node) == path for node in (walk(limit) if limit else ())
    )


def _grows_past(
    left: ast.expr, op: ast.cmpop, right: ast.expr, wanted: bool, loop: ast.stmt, point: Point
) -> bool:
    """Whether what counts the rounds is compared with a number that it leaves behind: a constant, or one that
    is the same in all rounds and does not end the loop."""
    counters = _counters(loop)
    above: tuple[type[ast.cmpop], ...] = (ast.Gt, ast.GtE, ast.NotEq)
    below: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Eq)
    if dotted(left) not in counters:
        left, right = right, left
        above, below = (ast.Lt, ast.LtE, ast.NotEq), (ast.Gt, ast.GtE, ast.Eq)
    if dotted(left) not in counters or not _is_same(right, point, None) or _ends(right, loop):
        return False
    return isinstance(op, above if wanted else below)
