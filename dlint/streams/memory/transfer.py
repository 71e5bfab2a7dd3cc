"""What statements do to what has a batch's memory: names that are bound, entries that are overwritten.

A loop body is read from above. An entry that it has overwritten (``batch["x"] = batch["x"].to(device)``) is
the batch's no longer, under whatever name the batch goes; names that were given to it before still are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from dlint.source.nodes import walk
from dlint.source.statements import blocks, given_in, own_names, own_nodes
from dlint.streams.memory.held import Held, gone_through
from dlint.streams.memory.places import Named, named
from dlint.streams.memory.stored import ANY, TOLD, key_of, stores, taken_out, written_keys

# The entries of its arguments that a call overwrites: what holds them, and the keys, ANY where they are not
# known, TOLD where it may only store in attributes of an object.
Overwrites = Callable[[ast.Call], "list[tuple[ast.expr, object]]"]
_MOVE = frozenset({"to", "cuda"})


def go_through(held: Held, block: list[ast.stmt], overwrites: Overwrites) -> None:
    """Learn what a block does to the names and entries."""
    for statement in block:
        after = [held.copy() for _ in inner_blocks(statement)]
        for inside, other in zip(inner_blocks(statement), after, strict=True):
            go_through(other, inside, overwrites)
        bind(held, statement, overwrites)
        for other in after:
            held.meet(other)


def bind(held: Held, statement: ast.stmt, overwrites: Overwrites) -> None:
    """Learn what a statement does to names and entries, with all that is inside a loop."""
    learnt: list[tuple[str, Named]] = []
    match statement:
        case ast.Assign(targets=[target], value=value):
            found = held.views(value)
            if len(found) == 1 and found[0].node is value:
                learnt = [
                    (name, known)
                    for name, known in named(target, found[0].known)
                    if not known.place or held.entries.are_there(known.place)
                ]
    _overwrite(held, statement, overwrites)
    bound = set(own_names(statement))
    if isinstance(statement, ast.For | ast.While):
        inner = [each for each in walk(statement) if isinstance(each, ast.stmt)]
        bound |= {name for each in inner for name in own_names(each)}
    for name in bound:
        held.names.pop(name, None)
        for known in (held.displays, held.tuples, held.dicts, held.values, held.keys, held.written):
            known.pop(name, None)
    held.counts -= bound
    held.names.update(learnt)


def _overwrite(held: Held, statement: ast.stmt, overwrites: Overwrites) -> None:
    """Forget the entries that a statement, or one inside a loop, stores something else in."""
    inside = held.copy()
    keys: dict[str, list[object]] = {}
    simple = [statement]
    if isinstance(statement, ast.For | ast.While):
        simple = [each for each in walk(statement) if isinstance(each, ast.stmt)]
        for each in simple:
            if isinstance(each, ast.For):
                inside.names.update(gone_through(each, inside))
                keys.update(written_keys(each))
    for each in simple:
        _overwrite_by(inside, each, keys, overwrites)
    held.entries.learn(inside.entries)


def _overwrite_by(
    held: Held, statement: ast.stmt, keys: dict[str, list[object]], overwrites: Overwrites
) -> None:
    """Forget the entries that one statement by itself stores something else in; ``keys`` are the names
    that go through keys that are written out."""
    for store in stores(statement):
        # What is made of another type may be a copy.
        key, views = store.key, [view for view in held.views(store.value) if not view.known.casts]
        whole = held.view(store.held) if any(each.known.is_array is not False for each in views) else None
        if whole is not None and whole.known.place is not None:
            held.entries.arrays.add((*whole.known.place, key_of(key)))
        if not views and (store.is_entry or _speaks(held, store.value)):
            named_keys = keys.get(key.id, [ANY]) if isinstance(key, ast.Name) else [key_of(key)]
            for each in named_keys:
                _forget(held, store.held, each)
    for emptied, taken in taken_out(statement):
        _forget(held, emptied, taken)
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as moved, attr=method))) if (
            method in _MOVE
        ):
            _forget(held, moved, ANY)  # moved in place: of a tensor this would do nothing
    for node in own_nodes(statement):
        if isinstance(node, ast.Call):
            _tell(held, node, overwrites)


def _tell(held: Held, call: ast.Call, overwrites: Overwrites) -> None:
    """Learn what a call may do to what it is a method of, and to what it is given."""
    match call.func:
        case ast.Attribute(value=ast.Name() as told, attr=method) if (
            view := held.view(told)
        ) is not None and (place := view.known.place) is not None:
            held.entries.told.add(place)
            if method in _MOVE:
                held.entries.moved.add(place)
    given = given_in(call)
    if any(isinstance(each, ast.Name) and each.id in held.names for each in given):
        for stored_in, entry in overwrites(call):
            _forget(held, stored_in, entry)


def _speaks(held: Held, node: ast.expr) -> bool:
    """Whether an expression speaks of the batch: a number that is stored in a tensor does not."""
    return any(isinstance(each, ast.Name) and each.id in held.names for each in walk(node))


def _forget(held: Held, stored_in: ast.expr, key: object) -> None:
    view = held.view(stored_in)
    place = view.known.place if view is not None and not view.known.is_tensor else None
    if place is not None and key is TOLD:
        held.entries.told.add(place)
    elif place is not None:
        held.entries.gone.add((*place, key))


def inner_blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a statement that is no loop."""
    if isinstance(statement, ast.For | ast.While):
        return []
    return [inside for _, inside, _ in blocks(statement)]


def nothing(_: ast.Call) -> list[tuple[ast.expr, object]]:
    """No entry: what a call is not asked for."""
    return []
