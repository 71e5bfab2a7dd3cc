"""Functions that are put in a list where they are defined, to be called one after another: by a decorator of
the program, or at the top of their file.

``for hook in HOOKS: hook(worker_id)`` and ``for handler in self.handlers[name]: handler(*args)`` call what
``@on_worker`` and ``@bus.on("worker")`` add to the list. It is found by its name, and what is added to it by
a look at what adds; of lists under keys, those of one that is written out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    bare_name,
    functions_in,
    given_in,
    head_name,
    parameters,
    statements_in,
    steps,
)
from dlint.values.frame import Argument, Arguments, Point, arguments_of
from dlint.values.values import Const, Function, Instance, Key, Value

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.source.module import Module

# `HOOKS.append(hook)`, `self.handlers[name].append(hook)`, `HOOKS.setdefault(name, []).append(hook)`. Keys
# are bounded: else a line of a megabyte would be gone through once for each name in it.
_ADDS = rb"(?:\[[^\]\n]{0,200}\]|\.setdefault\([^\n]{0,200}\))?\.(?:append|appendleft|insert|add)\("
_ADDING = frozenset({"append", "appendleft", "insert", "add"})
_ONE_AFTER_ANOTHER = frozenset({"iter", "list", "reversed", "set", "sorted", "tuple"})


class _Adding(dict[str, "list[tuple[Module, ast.stmt]]"]):
    """By the name of a list: the statements that may add to it."""


class _Place(NamedTuple):
    """A list: the name or the attribute that holds it, where that is read, its key, and which part of its
    elements is meant, where they are tuples."""

    held: ast.Name | ast.Attribute
    at: Point
    key: ast.expr | None
    part: int | None = None


def listed(evaluator: Evaluator, callee: ast.expr, at: Point) -> Iterator[Function]:
    """The functions that a variable stands for one after another, of a list that they are added to where they
    are defined."""
    known = evaluator.kept.setdefault(_Adding, _Adding())
    assert isinstance(known, _Adding)
    for place in _gone_through(callee, at):
        word = bare_name(place.held)
        if word not in known:
            known[word] = _adding(evaluator, word)
        for module, statement in known[word]:
            yield from _added_by(evaluator, module, statement, place)


def _gone_through(callee: ast.expr, at: Point) -> Iterator[_Place]:
    """The lists that loops of the function itself go through, whose variable is called."""
    scope = at.frame.scope
    if not isinstance(callee, ast.Name) or not isinstance(scope, FunctionNode):
        return
    for node in (node for statement in scope.body for node in walk(statement)):
        if isinstance(node, ast.For | ast.comprehension):
            alone = not isinstance(node.target, ast.Tuple)
            for part, target in enumerate(_parts(node.target)):
                if isinstance(target, ast.Name) and target.id == callee.id:
                    place = _place(_inside(node.iter), at)
                    if place is not None:
                        yield place._replace(part=None if alone else part)


def _inside(gone: ast.expr) -> ast.expr:
    """What is gone through, whatever puts it in order before."""
    match gone:
        case ast.Call(func=ast.Name(id=way), args=[inner, *_]) if way in _ONE_AFTER_ANOTHER:
            return inner
    return gone


def _place(node: ast.expr, at: Point) -> _Place | None:
    held, keys = steps(node)
    if len(keys) > 1 or (keys and keys[0] is None):
        return None
    if isinstance(held, ast.Name):
        scope = at.frame.scope
        own = isinstance(scope, FunctionNode) and any(each.arg == held.id for each in parameters(scope))
        layout = at.frame.layout
        if own or (not isinstance(scope, ast.Module) and held.id in layout.binds - layout.changes):
            return None
    return _Place(held, at, keys[0] if keys else None) if isinstance(held, ast.Name | ast.Attribute) else None


def _adding(evaluator: Evaluator, word: str) -> list[tuple[Module, ast.stmt]]:
    """The statements at the top of files that may add a function to a list of that name: those that define
    one with a decorator which adds, or give one to what does, or add it themselves."""
    index = evaluator.modules.index
    adds = re.compile(rb"\b%b%b" % (re.escape(word.encode()), _ADDS))
    near = [relative for relative in index.naming(word) if adds.search(index.data(relative))]
    names: set[str] = set()
    found: list[tuple[Module, ast.stmt]] = []
    for module in evaluator.modules.each(near):
        for statement in module.tree.body:
            inner = statement.body if isinstance(statement, ast.ClassDef) else [statement]
            taking = {each.name for each in functions_in(inner) if _takes(each, word)}
            if isinstance(statement, ast.ClassDef) and "__call__" in taking:
                taking.update(_objects(evaluator, statement.name))
            names.update(name for name in taking if not name.startswith("__"))
            if any(_is_called(held, word) for held, _ in _additions(statement)):
                found.append((module, statement))
    for name in sorted(names):
        said = name.encode()
        used = re.compile(rb"^(?:@[\w.]*\b%b\b|[\w.]*\b%b\()" % (said, said), re.MULTILINE)
        files = [relative for relative in index.naming(name) if used.search(index.data(relative))]
        for module in evaluator.modules.each(files):
            for statement in module.tree.body:
                match statement:
                    case ast.FunctionDef() if name in map(head_name, statement.decorator_list):
                        found.append((module, statement))
                    case ast.Expr(value=ast.Call() as call) if name in map(head_name, (call, call.func)):
                        found.append((module, statement))
    return found


def _objects(evaluator: Evaluator, name: str) -> Iterator[str]:
    """The variables of modules that have an object of a class: ``on_worker = Hooks()``."""
    for module in evaluator.modules.naming(name):
        for statement in module.tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=variable)], value=ast.Call() as made):
                    if head_name(made) == name:
                        yield variable


def _additions(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The list that a statement adds one thing to, and what it adds."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=how), args=[*_, given])):
            if how in _ADDING:
                yield held, given


def _parts(given: ast.expr) -> list[ast.expr]:
    return given.elts if isinstance(given, ast.Tuple) else [given]


def _is_called(held: ast.expr, word: str) -> bool:
    return bare_name(steps(held)[0]) == word


def _takes(function: FunctionNode, word: str) -> bool:
    """Whether a function, or one in it, adds what it is given to a list of that name."""
    for inner in walk(function):
        if isinstance(inner, ast.FunctionDef):
            given = {each.arg for each in parameters(inner)}
            for statement in statements_in(inner.body):
                for held, added in _additions(statement):
                    if _is_called(held, word) and not given.isdisjoint(map(bare_name, _parts(added))):
                        return True
    return False


def _added_by(evaluator: Evaluator, module: Module, statement: ast.stmt, place: _Place) -> Iterator[Function]:
    """What a statement at the top of a file adds to a list."""
    point = Point(evaluator.modules.frame(module), statement)
    match statement:
        case ast.FunctionDef():
            given = Arguments([Argument(None, None, Function(statement, point.frame))])
            for decorator in statement.decorator_list:
                for value, _ in evaluator.values(decorator, point):
                    yield from _added_in(evaluator, value, given, decorator, point, place)
        case ast.Expr(value=ast.Call() as call):
            yield from _added_at(evaluator, statement, point, place)
            if any(isinstance(each, ast.Name | ast.Attribute) for each in given_in(call)):
                for value, _ in evaluator.values(call.func, point):
                    yield from _added_in(evaluator, value, arguments_of(call, point), call, point, place)


def _added_in(
    evaluator: Evaluator, value: Value, given: Arguments, node: ast.AST, point: Point, place: _Place
) -> Iterator[Function]:
    callees = evaluator.classes.methods(value, "__call__") if isinstance(value, Instance) else [value]
    for callee in callees:
        if isinstance(callee, Function) and isinstance(callee.node, FunctionNode):
            frame = evaluator.calls.enter(callee, given, node, point)
            for statement in statements_in(callee.node.body):
                yield from _added_at(evaluator, statement, Point(frame, statement), place)


def _added_at(evaluator: Evaluator, statement: ast.stmt, point: Point, place: _Place) -> Iterator[Function]:
    """The functions that a statement adds to a list."""
    word = bare_name(place.held)
    for held, added in _additions(statement):
        other = _place(held, point) if _is_called(held, word) else None
        parts = _parts(added)
        if other is None or isinstance(added, ast.Tuple) == (place.part is None):
            continue
        if (place.part or 0) < len(parts) and _is_same(evaluator, place, other):
            for value, _ in evaluator.values(parts[place.part or 0], point):
                if isinstance(value, Function):
                    yield value


def _is_same(evaluator: Evaluator, one: _Place, other: _Place) -> bool:
    """Whether two places are one list: of one variable of a module, or one attribute of one object, and under
    one key."""
    if (one.key is None) != (other.key is None):
        return False
    if one.key is not None and other.key is not None:
        keys = [_constants(evaluator, each.key, each.at) for each in (one, other) if each.key is not None]
        if keys[0] is None or keys[1] is None or keys[0].isdisjoint(keys[1]):
            return False
    match one.held, other.held:
        case ast.Name(id=name), ast.Name():
            here, there = one.at.frame.module.relative, other.at.frame.module.relative
            index = evaluator.modules.index
            return here == there or here in index.knowing(name, there) or there in index.knowing(name, here)
        case ast.Attribute(value=mine), ast.Attribute(value=theirs):
            return not _keys(evaluator, mine, one.at).isdisjoint(_keys(evaluator, theirs, other.at))
    return False


def _constants(evaluator: Evaluator, node: ast.expr, at: Point) -> set[object] | None:
    """The texts that a key may be; None where it may be anything."""
    values = [value for value, _ in evaluator.values(node, at)]
    return {each.value for each in values if isinstance(each, Const)} if _all_known(values) else None


def _all_known(values: list[Value]) -> bool:
    return bool(values) and all(isinstance(each, Const) for each in values)


def _keys(evaluator: Evaluator, node: ast.expr, at: Point) -> set[Key]:
    return {value.key for value, _ in evaluator.values(node, at)}
