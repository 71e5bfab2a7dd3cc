"""What is unknown but for its declaration, which says that it is a path: a parameter (``corpus: Path``), the
field of a dataclass, an option (``type=Path``)."""

from __future__ import annotations

import ast

from dlint.knowledge.names import OF_PATHS_ALONE, PATH
from dlint.source.statements import bare_name
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import External, Made, Unknown, Value

_MAY_BE = frozenset({"PathLike", "PurePath", "bytes", "str"})


def declared(outcomes: list[Outcome]) -> list[Outcome]:
    """What something may be that is declared to be a path."""
    return [
        (value.as_path(), w)
        if isinstance(value, Unknown)
        else (External(value.name, value.owner, True), w)
        if isinstance(value, External) and value.owner is not None
        else (value, w)
        for value, w in outcomes
    ]


def member(base: Value, name: str, node: ast.AST, point: Point) -> Value | None:
    """``base.name``, where something is a path by its declaration, and only paths have that."""
    if not (isinstance(base, Unknown | External) and base.is_path and name in OF_PATHS_ALONE):
        return None
    if name == "parent":
        return Made(PATH, node, Arguments([Argument(None, None, base)]), point, ("parent", base.key))
    return External(f"{PATH}().{name}")


def is_path(kind: ast.expr) -> bool:
    """Whether an annotation, or what is to make an option of its word, means a path: alone, or beside what
    a path may be written as, and None."""
    match kind:
        case ast.Constant(value=str(text)) if "Path" in text:
            try:
                return is_path(ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError):
                return False
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _one_of([left, right])
        case ast.Subscript(value=head, slice=inner):
            match bare_name(head):
                case "Optional":
                    return is_path(inner)
                case "Annotated" if isinstance(inner, ast.Tuple) and inner.elts:
                    return is_path(inner.elts[0])
                case "Union":
                    return _one_of(inner.elts if isinstance(inner, ast.Tuple) else [inner])
    return bare_name(kind) == "Path"


def _one_of(kinds: list[ast.expr]) -> bool:
    return any(map(is_path, kinds)) and all(is_path(each) or _is_beside(each) for each in kinds)


def _is_beside(kind: ast.expr) -> bool:
    match kind:
        case ast.Constant(value=None):
            return True
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _is_beside(left) and _is_beside(right)
        case ast.Subscript(value=head):
            return bare_name(head) == "PathLike"
    return bare_name(kind) in _MAY_BE
