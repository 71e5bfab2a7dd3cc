"""Which parts of worker code can lead anywhere: to other code, or to a call that a rule may speak of.

Most expressions of a ``__getitem__`` only handle data. What stands in this module is decided from the text
alone, once, so that the walk through worker code evaluates no test whose branches do nothing.
"""

from __future__ import annotations

import ast

from dlint.calls.by_operator import Run, runs
from dlint.knowledge.callbacks import DATA_ATTRIBUTES, DATA_METHODS, GOES_THROUGH, PLAIN_BUILTINS
from dlint.project.index.index import Index
from dlint.source.nodes import children, is_text
from dlint.source.statements import blocks, expressions, parameters, target_names
from dlint.values.frame import Frame

_HAND_ON = frozenset({"enumerate", "reversed", "sorted", "zip"})
_LEAVES = ast.Return | ast.Raise | ast.Continue | ast.Break


class Leads:
    """Answers for one program, each kept by the id of its node."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: dict[int, bool] = {}
        self._held: dict[int, frozenset[str]] = {}
        self._defined: dict[str, bool] = {}

    def expression(self, node: ast.AST, frame: Frame) -> bool:
        """Whether evaluating an expression of the frame may run code worth following."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self._runs(node, frame)
        return known

    def statement(self, node: ast.stmt, frame: Frame) -> bool:
        """Whether a statement may run such code, or leaves the block that it stands in."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = (
                isinstance(node, _LEAVES)
                or any(self.expression(part, frame) for part in expressions(node))
                or (isinstance(node, ast.For | ast.AsyncFor) and self._may_be_gone_through(node.iter, frame))
                or any(self.statement(inner, frame) for _, block, _ in blocks(node) for inner in block)
            )
        return known

    def _runs(self, node: ast.AST, frame: Frame) -> bool:
        match node:
            case ast.Constant() | ast.Name() | ast.Lambda():
                return False
            case ast.Call(func=ast.Attribute() as method) if not is_data_method(method, frame):
                return True
            case ast.Call() if sorted_by(node) is not None:
                return True
            case ast.Call(func=ast.Name(id=name)) if name not in PLAIN_BUILTINS or _is_rebound(name, frame):
                return True
            case ast.Call(func=ast.Name(id=name), args=given) if name in GOES_THROUGH and any(
                self._is_of_object(argument, frame) for argument in given
            ):
                return True
            case ast.Attribute(attr=name) if self.may_be_property(name):
                return True
            case ast.Compare() | ast.BinOp() | ast.UnaryOp() | ast.FormattedValue() | ast.Call() if (
                self.by_operator(node, frame)
            ):
                return True
            case ast.Starred(value=source) if self._is_of_object(source, frame):
                return True
            case ast.Call(func=func) if not isinstance(func, ast.Name | ast.Attribute):
                return True
            case ast.Subscript(value=value, slice=index) if self.may_be_object(value, frame):
                # No dataset is asked for an item by a string written out.
                if not is_text(index):
                    return True
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Name()) if is_given(name, frame):
                return True
            case ast.comprehension(iter=source) | ast.YieldFrom(value=source) if self._may_be_gone_through(
                source, frame
            ):
                return True
        return any(self.expression(child, frame) for child in children(node))

    def by_operator(self, node: ast.AST, frame: Frame) -> list[Run]:
        """The methods that an expression may run by an operator or a builtin, of what an object or a module
        holds: of no other is it known here what it is."""
        found = [run for run in runs(node) if any(map(self._is_defined, run.methods))]
        if not found or (isinstance(node, ast.Call) and _is_rebound(node.func.id, frame)):  # type: ignore[attr-defined]
            return []
        return [
            run
            for run in found
            if self._is_of_object(run.holder, frame)
            or (isinstance(run.holder, ast.Name) and self.may_be_object(run.holder, frame))
        ]

    def _is_defined(self, method: str) -> bool:
        """Whether the program defines a method, of whatever class."""
        known = self._defined.get(method)
        if known is None:
            known = self._defined[method] = bool(self._index.naming(method))
        return known

    def may_be_property(self, name: str) -> bool:
        """Whether an attribute that is called so may be a property of the program's, and is not what arrays
        and images have."""
        return name in self._index.properties and name not in DATA_ATTRIBUTES

    def _is_of_object(self, node: ast.expr, frame: Frame) -> bool:
        """Whether something is held by the object that the function is a method of."""
        own = _first_parameter(frame) if frame.receiver is not None else ()
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in own

    def may_be_object(self, node: ast.expr, frame: Frame) -> bool:
        """Whether what is indexed or gone through here may be an object with a method for it."""
        if isinstance(node, ast.Name):
            return not self.is_item(node.id, frame)
        if isinstance(node, ast.Subscript):  # one of the objects that it holds: `self.packs[name][index]`
            return self._is_of_object(node.value, frame) and not isinstance(node.slice, ast.Slice)
        return isinstance(node, ast.Attribute)

    def _may_be_gone_through(self, node: ast.expr, frame: Frame) -> bool:
        """Whether what is gone through may be such an object, or what a call gives the function."""
        return self.may_be_object(node, frame) or (isinstance(node, ast.Name) and is_given(node.id, frame))

    def is_item(self, name: str, frame: Frame) -> bool:
        """Whether a name is a variable of the function itself: an item on its way, not a dataset. The object
        itself is none, nor another name for what it holds: ``data = self.data``, ``for one in self.all``."""
        of_self = frame.receiver is not None and name in _first_parameter(frame)
        return is_own(name, frame) and not of_self and name not in self._held_by_object(frame)

    def _held_by_object(self, frame: Frame) -> frozenset[str]:
        found = self._held.get(id(frame.scope))
        if found is None:
            own = _first_parameter(frame)
            found = self._held[id(frame.scope)] = frozenset(
                node.targets[0].id
                for node in (frame.layout.nodes if own else ())
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
                if any(_is_held(each, own) for each in _choices(node.value))
            ) | frozenset(
                name
                for node in (frame.layout.nodes if own else ())
                if isinstance(node, ast.For) and any(_is_held(each, own) for each in _gone_through(node.iter))
                for name in target_names(node.target)
            )
        return found


def _choices(node: ast.expr) -> list[ast.expr]:
    return [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]


def _gone_through(node: ast.expr) -> list[ast.expr]:
    """What a loop takes one after the other, however it counts, joins or turns them round."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=given) if name in _HAND_ON:
            return given
        case ast.Call(func=ast.Attribute(value=held, attr="values" | "items"), args=[]):
            return [held]
    return [node]


def _is_held(node: ast.expr, own: set[str]) -> bool:
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        node = node.value
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in own


def is_data_method(function: ast.Attribute, frame: Frame) -> bool:
    """Whether what is called is surely a method of data: named like one (``flip``), and of no module
    (``cv2.flip``), nor of the program's own objects (``self.codec.decode``)."""
    if function.attr not in DATA_METHODS:
        return False
    at: ast.expr = function.value
    while isinstance(at, ast.Attribute):
        at = at.value
    if not isinstance(at, ast.Name):
        return True
    of_self = frame.receiver is not None and at.id in _first_parameter(frame)
    return is_own(at.id, frame) and not of_self and at.id not in frame.layout.imports


def sorted_by(call: ast.Call) -> ast.expr | None:
    """What a list is sorted by: ``files.sort(key=...)``."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "sort":
        return None
    return next((given.value for given in call.keywords if given.arg == "key"), None)


def _first_parameter(frame: Frame) -> set[str]:
    scope = frame.scope
    if isinstance(scope, ast.Module | ast.ClassDef):
        return set()
    return {parameter.arg for parameter in parameters(scope)[:1]}


def is_own(name: str, frame: Frame) -> bool:
    """Whether a name is a variable or parameter of the function itself."""
    scope = frame.scope
    return name in frame.layout.binds or (
        not isinstance(scope, ast.Module | ast.ClassDef) and any(a.arg == name for a in parameters(scope))
    )


def is_given(name: str, frame: Frame) -> bool:
    """Whether a name is a parameter of the function that nothing binds anew, and not its object."""
    scope = frame.scope
    return (
        not isinstance(scope, ast.Module | ast.ClassDef)
        and name not in frame.layout.binds
        and any(each.arg == name for each in parameters(scope)[frame.receiver is not None :])
    )


def _is_rebound(name: str, frame: Frame) -> bool:
    """Whether the program binds the name of a builtin itself."""
    at: Frame | None = frame
    while at is not None:
        if is_own(name, at):
            return True
        at = at.outer
    return False
