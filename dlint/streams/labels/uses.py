"""What of an item is used where it is unpacked or taken apart: which part, its shape, or how long it is."""

from __future__ import annotations

import ast
from typing import NamedTuple

from dlint.source.nodes import walk
from dlint.source.statements import dotted, last_name
from dlint.streams.items.definitions import Place
from dlint.streams.memory.stored import Field

# What an image is asked for that its file says in the header.
_SHAPES = frozenset({"shape", "size", "ndim", "dim", "height", "width"})


class Use(NamedTuple):
    """What a pass uses of the items: a later part and what it calls that, the shape of the first, or both;
    and the part of which it only asks how long it is (``len(item["sound"])``), or which shape it has."""

    part: Place
    name: str
    of_shape: bool
    measured: Place = None

    def of_all(self) -> Use | None:
        """The same use, where only reading the part tells how long it is: of the part itself."""
        if self.part is not None or self.measured in (None, 0):
            return None
        return Use(self.measured, self.name, self.of_shape)


def methods_in(body: list[ast.stmt] | list[ast.expr]) -> set[int]:
    """What is called, by the ids of the nodes: a method is no part of an item (``image.save(...)``)."""
    return {id(node.func) for part in body for node in walk(part) if isinstance(node, ast.Call)}


def field_of(node: ast.AST, name: str) -> Field | None:
    """The attribute that is taken of what a name stands for."""
    match node:
        case ast.Attribute(value=ast.Name(id=of), attr=attr, ctx=ast.Load()) if of == name:
            return Field(attr)
    return None


def use_of(item: ast.expr, body: list[ast.stmt] | list[ast.expr]) -> Use | None:
    """What is used where ``(image, label)``, ``(image, label, index)`` and the like are unpacked, or
    ``item[1]`` is taken: one of what comes after the image, and of that the shape at most."""
    if isinstance(item, ast.Name):
        return _taken(item.id, body)
    if not isinstance(item, ast.Tuple):
        return None
    # What is stored in an entry is used, whatever becomes of it: ``_, labels[i] = dataset[i]``.
    stored = {at for at, part in enumerate(item.elts) if isinstance(part, ast.Subscript | ast.Attribute)}
    names = [part.id if isinstance(part, ast.Name) else (_called(part) or "") for part in item.elts]
    if 0 in stored or not all(names):
        return None
    shaped, measured = shaped_in(body), measured_in(body)
    read: set[str] = set()
    sized: set[str] = set()
    of_shape = False
    for node in (each for part in body for each in walk(part)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id == names[0] and id(node) in shaped:
                of_shape = True
            else:
                (sized if id(node) in measured else read).add(node.id)
    used = [at for at, name in enumerate(names) if at in stored or name in read]
    long = [at for at, name in enumerate(names) if name in sized and at not in used]
    if len(used) > 1 or len(long) > 1 or 0 in used:
        return None
    part, name = (used[0], names[used[0]]) if used else (None, "")
    return _used(part, name, of_shape, next(((at, names[at]) for at in long), None))


def _used(part: Place, name: str, of_shape: bool, sized: tuple[Place, str] | None) -> Use | None:
    """A use, should it be of anything: what is ``sized``, with its name, is one beside the shape of the
    first."""
    measured, called = sized or (None, "")
    if part is None and measured is not None:
        return Use(measured, called, True) if of_shape else Use(None, called, False, measured)
    if measured is not None and of_shape:
        return None
    return Use(part, name, of_shape, measured) if part is not None or of_shape else None


def _called(part: ast.expr) -> str | None:
    """What the holder of an entry, or an attribute, is called."""
    whole = part.value if isinstance(part, ast.Subscript) else part
    return last_name(whole) if isinstance(part, ast.Subscript | ast.Attribute) else None


def shaped_in(body: list[ast.stmt] | list[ast.expr]) -> set[int]:
    """What is asked for its shape, by the ids of the nodes."""
    return {
        id(node.value)
        for part in body
        for node in walk(part)
        if isinstance(node, ast.Attribute) and node.attr in _SHAPES
    }


def measured_in(body: list[ast.stmt] | list[ast.expr]) -> set[int]:
    """What is asked only how long it is, or for its shape, by the ids of the nodes."""
    lengths = {
        id(node.args[0])
        for part in body
        for node in walk(part)
        if isinstance(node, ast.Call) and dotted(node.func) == "len" and len(node.args) == 1
    }
    return shaped_in(body) | lengths


def _taken(name: str, body: list[ast.stmt] | list[ast.expr]) -> Use | None:
    """What is taken of an item by its place, where nothing else is done with it."""
    shaped, measured, called = shaped_in(body), measured_in(body), methods_in(body)
    places: set[object] = set()
    sized: set[int | str] = set()
    of_shape = False
    taken = 0
    for node in (each for part in body for each in walk(part)):
        match node:
            case ast.Subscript(value=ast.Name(id=of), slice=ast.Constant(value=at)) if of == name:
                if at == 0 and id(node) in shaped:
                    of_shape = True
                elif id(node) in measured and isinstance(at, int | str):
                    sized.add(at)
                else:
                    places.add(at)
                taken += 1
            case ast.Attribute() if id(node) not in called and (field := field_of(node, name)) is not None:
                places.add(field)
                taken += 1
            case ast.Name(id=of, ctx=ast.Load()) if of == name:
                taken -= 1
    sizes = sized - places
    size = next(((each, each if isinstance(each, str) else "") for each in sizes), None)
    if taken != 0 or len(places) > 1 or len(sizes) > 1:
        return None
    if not places:
        return _used(None, "", of_shape, size)
    match places.pop():
        case int(place) if place > 0:
            return _used(place, "", of_shape, size)
        case str(key) if not of_shape:
            return _used(key, key, of_shape, size)
        case Field() as field if not of_shape:
            return _used(field, field.name, of_shape, size)
    return None


def picked_use(at: int | str, *, of_shape: bool, measured: bool) -> Use:
    """The use of one part of an item, of which a pass may ask only the shape, or how long it is."""
    name = at if isinstance(at, str) else ""
    if at == 0 and of_shape:
        return Use(None, name, True)
    return Use(None, name, False, at) if measured else Use(at, name, False)
