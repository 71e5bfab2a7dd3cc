"""What a question about an expression is remembered under: the same for all that surely ask the same.

A function is looked at once for each way to it. What a name of its module means there, or one of a library
(``torch.utils.data``), is the same on all of them, and a parameter that nothing binds anew is the same
wherever the function names it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from dlint.source.statements import dotted, parameters
from dlint.values.frame import Point
from dlint.values.values import External, Key

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_GIVEN: Final = "given"
_GLOBAL: Final = "global"
_PATH: Final = "path"
# What marks begin with that are the same wherever in the program is asked.
OF_ALL: Final = frozenset((_GLOBAL, _PATH))
_ITSELF: Final = "itself"


class Marks:
    """The marks of one program's expressions."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        # By the id of a node, which is kept beside it: what all that mean the same share.
        self._shared: dict[int, tuple[ast.expr, Key]] = {}

    def of(self, node: ast.expr, point: Point) -> Key:
        """What an expression looked at from a point is remembered under."""
        frame = point.frame
        if isinstance(node, ast.Name | ast.Attribute):
            known = self._shared.get(id(node))
            if known is None or known[0] is not node:
                known = self._shared[id(node)] = (node, self._find(node, point))
            shared = known[1]
            if shared == _GIVEN:
                if isinstance(node, ast.Name) and not point.locals:
                    return (_GIVEN, node.id, frame.key)
            elif shared != _ITSELF and not (point.locals and _root(node) in point.locals):
                return shared
        return (id(node), frame.key, id(point.locals))

    def _find(self, node: ast.Name | ast.Attribute, point: Point) -> Key:
        if isinstance(node, ast.Name):
            return _of_name(node.id, point)
        path = dotted(node)
        if path is None or point.locals:
            return _ITSELF
        root = _root(node)
        home = _of_name(root, point) if root is not None else _ITSELF
        if home in (_ITSELF, _GIVEN) or path in point.frame.layout.binds:
            return _ITSELF
        if self._evaluator.modules.index.stored_elsewhere(node.attr):
            return _ITSELF
        # What hangs on nothing but its name: a library's. The program's own objects may be changed meanwhile.
        held = self._evaluator.values(node.value, point)
        if all(isinstance(value, External) and value.owner is None for value, _ in held):
            return (_PATH, path, home)
        return _ITSELF


def _root(node: ast.expr) -> str | None:
    """The name that a dotted path begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _of_name(name: str, point: Point) -> Key:
    """What all share that mean the same by a name: where a function does not bind it, and none around it, the
    name of its module; where it is a parameter and no more, that of the frame."""
    if name in point.locals:
        return _ITSELF
    frame = point.frame
    if frame.outer is None or name in frame.layout.binds:
        return _ITSELF
    scope = frame.scope
    if not isinstance(scope, ast.ClassDef | ast.Module) and any(a.arg == name for a in parameters(scope)):
        return _GIVEN
    while frame.outer is not None:
        frame = frame.outer
        scope = frame.scope
        if isinstance(scope, ast.ClassDef):
            continue  # methods do not see the names of their class
        if frame.outer is None:
            return (_GLOBAL, name, frame.key)
        if name in frame.layout.binds:
            return _ITSELF
        if not isinstance(scope, ast.Module) and any(a.arg == name for a in parameters(scope)):
            return _ITSELF
    return _ITSELF
