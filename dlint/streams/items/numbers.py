"""Whether a part of a dataset's items surely is a number, an array or a tensor, by the expression that a
``__getitem__`` returns and what that is read from: torch's own ``collate_fn`` makes a tensor of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.tensors import is_number_type, makes_tensors
from dlint.source.statements import parameters
from dlint.streams.items.items import Reader
from dlint.streams.items.texts import may_hold_texts
from dlint.values.frame import Point
from dlint.values.values import Const, External, Items, Made, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_ARRAYS = ("torch.", "numpy.")
_FAR = 4  # names behind names
# Which part of something is asked for, one step after the other.
_Path = tuple[int, ...]


def is_number(evaluator: Evaluator, reader: Reader, node: ast.expr, statement: ast.stmt) -> bool:
    """Whether an expression of a ``__getitem__`` surely gives a number, an array or a tensor."""
    if isinstance(node, ast.Compare):
        return True
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        point = Point(reader.frame, statement)
        # Whatever a tensor or an array is multiplied with makes another one of it; a text has its own ``%``.
        telling = sides[:1] if isinstance(node.op, ast.Mod) else sides
        return any(_is_made_array(evaluator, each, point, reader.world) for each in telling) or all(
            is_number(evaluator, reader, each, statement) for each in sides
        )
    asked = [each.arg for each in parameters(reader.node)[1:2]]
    if isinstance(node, ast.Name) and node.id in asked and node.id not in reader.frame.layout.binds:
        return True
    evaluator.start()
    point = Point(reader.frame, statement)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("float", "int"):
        return all(isinstance(value, External) for value, _ in evaluator.values(node.func, point))
    if isinstance(node, ast.Subscript) and _is_made_array(evaluator, node.value, point, reader.world):
        return True
    values = [value for value, _ in evaluator.values(node, point, reader.world)]
    if values and all(map(is_array, values)):
        return True
    return _is_told(evaluator, node, (), point, reader.world)


def _is_told(
    evaluator: Evaluator, node: ast.expr, path: _Path, point: Point, world: World, far: int = 0
) -> bool:
    """Whether a part of what an expression gives surely is a number or an array, by the text of what it comes
    from: ``astype``, or a list of rows in which all are made so. Values know only what each thing is."""
    if far > _FAR:
        return False
    match node:
        case ast.Call(func=ast.Attribute(attr="astype"), args=[kind, *_]) if not path:
            return _is_number_type(evaluator, kind, point, world)
        case ast.Call(func=ast.Attribute(attr="astype"), keywords=[ast.keyword(arg="dtype", value=kind), *_]):
            return not path and _is_number_type(evaluator, kind, point, world)
        case ast.Subscript(value=rows, slice=ast.Constant(value=int(at))):
            return _is_told(evaluator, rows, (at, *path), point, world, far + 1)
        case ast.Subscript(value=rows) if path and not isinstance(node.slice, ast.Slice):
            evaluator.start()
            held = [value for value, _ in evaluator.values(rows, point, world)]
            lists = [value for value in held if isinstance(value, Items)]
            elements = [each for value in lists for each in value.items]
            return bool(elements) and len(lists) == len(held) and all(_has(each, path) for each in elements)
        case ast.Name(id=name):
            evaluator.start()
            found = evaluator.flow.definitions(name, point, world)
            return bool(found) and all(
                _is_defined(evaluator, name, statement, path, point, w, far) for statement, w in found
            )
    if path or not far:
        return False
    evaluator.start()
    values = [value for value, _ in evaluator.values(node, point, world)]
    return bool(values) and all(map(is_array, values))


def _is_defined(
    evaluator: Evaluator,
    name: str,
    statement: ast.stmt | None,
    path: _Path,
    point: Point,
    world: World,
    far: int,
) -> bool:
    """The same of a name that a statement binds."""
    if statement is None:
        return False
    before = point.before(statement)
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return _is_told(evaluator, value, path, before, world, far + 1)
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value):
            at = [index for index, part in enumerate(parts) if isinstance(part, ast.Name) and part.id == name]
            if len(at) == 1 and not any(isinstance(part, ast.Starred) for part in parts):
                return _is_told(evaluator, value, (at[0], *path), before, world, far + 1)
    return False


def _has(value: Value, path: _Path) -> bool:
    """Whether what is at a place of a row is a number or an array."""
    for at in path:
        if not isinstance(value, Items) or value.open or not -len(value.items) <= at < len(value.items):
            return False
        value = value.items[at]
    return is_array(value)


def _is_number_type(evaluator: Evaluator, kind: ast.expr, point: Point, world: World) -> bool:
    """Whether an array of this type is one of numbers: those of texts and objects torch does not collate."""
    evaluator.start()
    kinds = [value for value, _ in evaluator.values(kind, point, world)]
    names = [
        each.name if isinstance(each, External) else str(each.value) if isinstance(each, Const) else ""
        for each in kinds
    ]
    return bool(names) and all(map(is_number_type, names))


def _is_made_array(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> bool:
    """Whether NumPy or torch surely makes what an expression stands for, of numbers."""
    evaluator.start()
    held = [value for value, _ in evaluator.values(node, point, world)]
    return bool(held) and all(
        isinstance(value, Made)
        and value.name.startswith(_ARRAYS)
        and not may_hold_texts(evaluator, value, node)
        for value in held
    )


def is_array(value: Value) -> bool:
    """Whether torch's own ``collate_fn`` makes a tensor of a value."""
    if isinstance(value, Const):
        return isinstance(value.value, int | float)
    if isinstance(value, Unknown):
        return value.is_number
    return isinstance(value, Made) and (value.name.startswith(_ARRAYS) or makes_tensors(value.name))
