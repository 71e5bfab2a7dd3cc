"""What a loop fills: a list or dict, as a path of names, and whether the loop empties it again."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from dlint.source.nodes import is_text, walk
from dlint.source.statements import dotted, given_in, own_names, own_nodes
from dlint.streams.batches.rounds import counters
from dlint.streams.memory.emptied import EMPTIES, LEAVES_FULL

# Which of its arguments a call of a function of the project empties.
Empties = Callable[[ast.Call], list[ast.expr]]


def is_emptied(loop: ast.For, into: ast.expr | None, empties: Empties) -> bool:
    """Whether a function that the loop calls empties what it fills: ``flush(kept)``."""
    path, _ = trunk(into)
    renewed = {path, path.rpartition(".")[0]} if path is not None else set()
    for node in walk(loop):
        if isinstance(node, ast.Call):
            given = given_in(node)
            if isinstance(node.func, ast.Attribute):
                given.append(node.func.value)
            owns = isinstance(node.func, ast.Attribute) and _owns(node.func.value, path)
            if (owns or any(trunk(each)[0] in renewed for each in given)) and any(
                trunk(each)[0] in renewed for each in empties(node)
            ):
                return True
    return False


def _owns(owner: ast.expr, path: str | None) -> bool:
    """Whether what fills up belongs to something that an object holds: ``self``, of ``self.meter.rows``."""
    name = dotted(owner)
    return name is not None and path is not None and path.startswith(f"{name}.")


def is_let_go(loop: ast.For, into: ast.expr | None, by: ast.stmt) -> bool:
    """Whether the loop empties what it fills, or makes it anew, other than where that gets its first."""
    path, entries = trunk(into)
    if path is None:
        return True
    renewed = {path, path.rpartition(".")[0]}

    def is_filled(node: ast.expr) -> bool:
        other, _ = trunk(node) if entries else (_path(node), False)
        return other == path or (entries and other is not None and other.startswith(f"{path}."))

    for statement in (each for each in walk(loop) if isinstance(each, ast.stmt)):
        if statement is not by and (
            _is_first(statement, loop, path) if entries else _is_begun(statement, loop, path)
        ):
            continue
        for node in own_nodes(statement):
            match node:
                case ast.Call(func=ast.Attribute(value=held, attr=method)) if method not in LEAVES_FULL:
                    if statement is by and isinstance(by, ast.Expr) and node is by.value:
                        continue  # what it does has been looked at
                    if is_filled(held) or (method in EMPTIES and _path(held) in renewed):
                        return True
        match statement:
            case ast.Assign() if joined_on(statement):
                pass
            case ast.Delete(targets=targets) | ast.Assign(targets=targets):
                for part in (part for target in targets for part in _single(target)):
                    if _whole(part) in renewed or (entries and statement is not by and is_filled(part)):
                        return True
    return False


def joined_on(statement: ast.Assign) -> list[tuple[ast.expr, bool]]:
    """What a statement adds to a list by making a longer one of both, and whether that is gone through for
    it: ``kept = kept + [y]``, ``kept = [*kept, y]``."""
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
            path = dotted(target)
            if path is not None and path in (dotted(left), dotted(right)):
                return [(right if dotted(left) == path else left, True)]
        case ast.Assign(targets=[target], value=ast.List(elts=parts)):
            path = dotted(target)
            whole = [each for each in parts if isinstance(each, ast.Starred) and dotted(each.value) == path]
            if path is not None and whole:
                return [
                    (each.value, True) if isinstance(each, ast.Starred) else (each, False)
                    for each in parts
                    if each is not whole[0]
                ]
    return []


def _is_first(statement: ast.stmt, loop: ast.For, path: str) -> bool:
    """Whether a statement gives a dict an entry that it has not: ``if key not in held: held[key] = []``."""
    return any(
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.NotIn)
        and _path(test.comparators[0]) == path
        and any(statement is inside for inside in each.body)
        for each in walk(loop)
        if isinstance(each, ast.If)
        for test in [each.test]
    )


def _is_begun(statement: ast.stmt, loop: ast.For, path: str) -> bool:
    """Whether a statement begins a list in the first round alone: ``if step == 0: kept = [y]``, ``if kept is
    None: kept = []``."""
    for each in walk(loop):
        if isinstance(each, ast.If) and any(statement is inside for inside in each.body):
            match each.test:
                case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
                    return dotted(left) in counters(loop)
                case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                    return dotted(left) == path
    return False


def made_anew(loop: ast.For) -> frozenset[str]:
    """The names of empty lists that every round of a loop begins with, and that nothing else is given to or
    taken out of."""
    made = {
        target.id
        for each in loop.body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.List) and not each.value.elts
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    if made:
        bound = [name for each in walk(loop) if isinstance(each, ast.stmt) for name in own_names(each)]
        made = {name for name in made if bound.count(name) == 1}
    for node in walk(loop) if made else ():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in EMPTIES:
                made.discard(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                made.discard(name)
    return frozenset(made)


def _single(target: ast.expr) -> Iterator[ast.expr]:
    """The targets in a target."""
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _single(part)
    else:
        yield target


def _whole(target: ast.expr) -> str | None:
    """What a target sets or deletes as a whole: a variable, or all or many of its entries (``kept[:]``)."""
    match target:
        case ast.Subscript(value=held, slice=ast.Slice()):
            return _path(held)
    return _path(target)


def _path(node: ast.expr | None) -> str | None:
    """What fills up, as one text: a variable, an attribute, an entry of either with a known key."""
    match node:
        case ast.Subscript(value=base, slice=ast.Constant(value=str(key))):
            below = _path(base)
            return f"{below}.{key}" if below is not None else None
        case None:
            return None
    return dotted(node)


def trunk(node: ast.expr | None) -> tuple[str | None, bool]:
    """What fills up, as one text, and whether that is some entry of it, or part of one: ``res[key]`` is one
    of ``res``, and so are ``res[key].rows`` and ``res[key]["rows"]``."""
    entries = False
    while _is_entry(node) or (isinstance(node, ast.Subscript | ast.Attribute) and _path(node) is None):
        assert isinstance(node, ast.Subscript | ast.Attribute)
        entries, node = True, node.value
    return _path(node), entries


def _is_entry(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Subscript) and not (is_text(node.slice))
