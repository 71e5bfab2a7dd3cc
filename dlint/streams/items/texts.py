"""NumPy's arrays of texts, or of what nobody knows: torch's own ``collate_fn`` leaves these as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.tensors import is_number_type
from dlint.regex import regex
from dlint.values.frame import Argument, Point
from dlint.values.values import Const, External, Items, Made, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 4  # arrays made of arrays
# Where the type stands that an array is told to have, and those that have the things of their first argument.
_TYPED = {
    "array": 1,
    "asarray": 1,
    "asanyarray": 1,
    "astype": 0,
    "fromiter": 1,
    "genfromtxt": 1,
    "loadtxt": 1,
}
_OF_FIRST = frozenset(
    {"append", "array", "asanyarray", "asarray", "concatenate", "hstack", "permutation", "sort", "unique"}
)
_NAMES_OF_FILES = frozenset({"glob.glob", "glob.iglob", "os.listdir"})
_METHODS_OF_TEXTS = frozenset(
    {"decode", "format", "join", "lower", "lstrip", "readline", "readlines", "replace", "rstrip", "split"}
    | {"splitlines", "strip", "upper"}
)
# What reads tables and records, whose columns and fields may be of either kind.
_READS_ANY = ("csv.", "json.", "pandas.", "yaml.")
_SOUNDS = regex(
    r"(?:^|_)(?:caption|file|filename|id|key|name|path|sentence|speaker|tag|text|title|uid|url|word)s?(?:_|$)",
    re.IGNORECASE,
)
_SOUNDS_LIKE_NUMBERS = regex(
    r"(?:^|_)(?:age|class|count|index|idx|indices|label|length|score|size|target|value|weight|y)(?:e?s)?(?:_|$)",
    re.IGNORECASE,
)


def may_hold_texts(evaluator: Evaluator, made: Made, node: ast.expr, far: int = 0) -> bool:
    """Whether what NumPy makes may be an array of texts or objects, by its type, by what it is made of, or by
    what it is called where it is asked for."""
    if far > _FAR or not made.name.startswith("numpy."):
        return False
    function, given = made.name.rpartition(".")[2], made.arguments
    if made.name.startswith("numpy.char."):
        return True
    if function == "tolist" and isinstance(made.node, ast.Call) and isinstance(made.node.func, ast.Attribute):
        whole = made.node.func.value
        held = (value for value, _ in evaluator.values(whole, made.point))
        return any(
            isinstance(each, Made) and may_hold_texts(evaluator, each, whole, far + 1) for each in held
        )
    at = _TYPED.get(function)
    kind = given.keywords.get("dtype")
    if kind is None and at is not None and at < len(given.positional):
        kind = given.positional[at]
    if kind is not None:
        return not _is_of_numbers(evaluator, kind)
    if function == "load":
        return "allow_pickle" in given.keywords
    first = given.positional[0] if function in _OF_FIRST and given.positional else None
    if first is None or first.expression is None or first.point is None:
        return False
    return _sounds(node) or _are_texts(evaluator, first.expression, first.point, far)


def _is_of_numbers(evaluator: Evaluator, kind: Argument) -> bool:
    kinds = [value for value, _ in evaluator.value_of(kind, HERE)]
    names = [each.name if isinstance(each, External) else str(getattr(each, "value", "")) for each in kinds]
    return bool(names) and all(map(is_number_type, names))


def _are_texts(evaluator: Evaluator, node: ast.expr, point: Point, far: int) -> bool:
    """Whether what an expression goes through are texts, by how it is written or what it stands for."""
    match node:
        case ast.Call(func=ast.Name(id="list" | "set" | "sorted" | "tuple"), args=[inner]):
            return _are_texts(evaluator, inner, point, far)
        case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each):
            return _is_text(each)
        case ast.Call(func=ast.Attribute(attr="keys")):
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if parts:
            return any(_is_text(each) or _are_texts(evaluator, each, point, far) for each in parts)
        case ast.Call(func=ast.Attribute(attr=method)) if method in _METHODS_OF_TEXTS:
            return True
    if _sounds(node):
        return True
    return any(_is_one_of_texts(evaluator, value, node, far) for value, _ in evaluator.values(node, point))


def _is_one_of_texts(evaluator: Evaluator, value: Value, node: ast.expr, far: int) -> bool:
    match value:
        case Items(items=parts):
            return any(isinstance(each, Const) and isinstance(each.value, str) for each in parts)
        case Made(name=name) if name in _NAMES_OF_FILES:
            return True
        case Made(name=name) if name.startswith(_READS_ANY):
            return not any(map(_SOUNDS_LIKE_NUMBERS.search, _called(node)))
        case Made():
            return may_hold_texts(evaluator, value, node, far + 1)
    return False


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.Call(func=ast.Name(id="str") | ast.Attribute(attr="join")):
            return True
        case ast.Call(func=ast.Attribute(attr=method)):
            return method in _METHODS_OF_TEXTS
        case ast.Subscript(value=ast.Call() as whole):
            return _is_text(whole)
    return _sounds(node)


def _sounds(node: ast.expr) -> bool:
    """Whether something is called as texts are, itself or by the key that it stands under."""
    return any(map(_SOUNDS.search, _called(node)))


def _called(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Attribute(value=held, attr="values") | ast.Subscript(value=held, slice=ast.Slice()):
            yield from _called(held)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.Subscript(slice=ast.Constant(value=str() as name)):
            yield name
        case ast.Call(func=ast.Attribute(value=held, attr="to_numpy" | "tolist" | "copy")):
            yield from _called(held)
