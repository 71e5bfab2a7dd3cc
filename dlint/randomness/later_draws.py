"""What draws from a library's global random state after a place in worker code: itself, or in what it calls.

What cannot be told counts as drawing: it says rather one too many than one too few.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from dlint.calls.evaluator import Evaluator
from dlint.calls.leads import is_data_method
from dlint.knowledge.callbacks import DATA_METHODS
from dlint.knowledge.randomness import draws_from, may_draw
from dlint.randomness.arrays import is_array
from dlint.source.nodes import children, walk
from dlint.source.statements import FunctionNode, given_in, is_self
from dlint.values.frame import Frame, Point
from dlint.values.functions import function_body
from dlint.values.values import Class, External, Function, Instance, Made, Partial, Unknown, Value
from dlint.values.worlds import HERE, World
from dlint.workers.reach import Link
from dlint.workers.worker import WorkerCode

_OF_DATA = frozenset(
    """_asdict _replace abs add add_ argwhere bool ceil chunk clamp clamp_ clip_ close conj convert copy_ cos
    cpu crop cross cumprod diag diff dim div div_ dot double eq exists exp expand_as fill_ floor gather ge get
    getbands getpixel gt half index_select isfinite isnan le load log lt masked_fill matmul median mm
    movedim mul mul_ narrow ne neg norm numel open paste pow put putalpha quantile read readline
    readlines rename reshape_as resize roll rotate scatter_ select setdefault sigmoid sin softmax sqrt
    squeeze_ stack stride sub sub_ thumbnail tile to tostring triu type_as unbind unfold unique
    unsqueeze_ view_as where zero_""".split()  # noqa: SIM905
)


# What these give is what a file holds, with functions of any kind.
_OF_FILES = ("torch.load()", "torch.jit.load()", "torch.hub.load()", "torch.package.", "numpy.load()")


class Later(NamedTuple):
    """The calls of a function that draw from a library after a place in it, and what else does or may do so:
    the call, or why none can be named."""

    own: list[ast.Call]
    others: list[str]


def later_draws(
    evaluator: Evaluator,
    function: FunctionNode,
    frame: Frame,
    world: World,
    code: WorkerCode,
    place: ast.AST,
    library: str,
) -> Later:
    """What follows ``place`` in a function that worker code (``code``) runs in a frame."""
    after = {id(node) for node in nodes_after(function, place)}
    own: list[ast.Call] = []
    others: list[str] = []
    search = _Search(evaluator, code, library)
    for node in function_body(function):
        if id(node) not in after:
            continue
        if isinstance(node, ast.Call):
            if search.draws_itself(node, frame, world):
                own.append(node)
            else:
                others += search.of_call(node, frame, world)
        elif isinstance(node, ast.Lambda | ast.FunctionDef) and search.draws_inside(node, frame):
            others.append(f"the function in line {node.lineno}")
    for event in code.each_way([each for each in code.events if draws_from(each.name, library)]):
        if event.node not in own and _leads_from(event.link, after):
            others.append(event.name)
    return Later(own, others)


def nodes_after(function: FunctionNode, place: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function that may run after a place in it."""
    trail = _trail(function, place) or [function]
    excluded = {id(inner) for inner in walk(place)}
    again = next((node for node in trail if isinstance(node, ast.For | ast.While | ast.AsyncFor)), None)
    for above, below in pairwise(trail) if again is None else ():
        if isinstance(above, ast.If) and below in above.body:
            excluded |= {id(inner) for each in above.orelse for inner in walk(each)}
        if isinstance(above, ast.IfExp):
            excluded |= {id(inner) for inner in walk(above)}
    repeated = {id(node) for node in walk(again)} if again is not None else set()
    end = (place.end_lineno, place.end_col_offset)  # type: ignore[attr-defined]
    for node in walk(function):
        where = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        if (where >= end or id(node) in repeated) and id(node) not in excluded:
            yield node


def _trail(root: ast.AST, place: ast.AST) -> list[ast.AST] | None:
    if root is place:
        return [root]
    for child in children(root):
        found = _trail(child, place)
        if found is not None:
            return [root, *found]
    return None


def _leads_from(link: Link | None, nodes: set[int]) -> bool:
    while link is not None:
        if link.site is not None and id(link.site) in nodes:
            return True
        link = link.above
    return False


def _is_of_data(function: ast.expr) -> bool:
    """Whether a function that is not known is a method of data by its name: of an array, a tensor, an image,
    a text or a file."""
    if not isinstance(function, ast.Attribute):
        return False
    root: ast.expr = function
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        root = root.func if isinstance(root, ast.Call) else root.value
    return function.attr in DATA_METHODS or (function.attr in _OF_DATA and not is_self(root))


class _Search:
    """Goes through what is called, each function once."""

    def __init__(self, evaluator: Evaluator, code: WorkerCode, library: str) -> None:
        self._evaluator = evaluator
        self._code = code
        self._library = library
        self._seen: set[int] = set()

    def draws_itself(self, call: ast.Call, frame: Frame, world: World) -> bool:
        return any(
            isinstance(value, External) and value.owner is None and draws_from(value.name, self._library)
            for value in self._callees(call.func, frame, world)
        )

    def draws_inside(self, function: ast.AST, frame: Frame) -> bool:
        """Whether a function inside the function calls something that draws, by its names."""
        return any(
            isinstance(node, ast.Call) and self.draws_itself(node, frame, HERE) for node in walk(function)
        )

    def of_call(self, call: ast.Call, frame: Frame, world: World) -> list[str]:
        """What draws, or may, when a call is made."""
        if isinstance(call.func, ast.Attribute) and is_data_method(call.func, frame):
            return []
        text = ast.unparse(call.func)
        if isinstance(call.func, ast.Attribute) and is_array(self._evaluator, call.func.value, frame, world):
            draws = may_draw(f"torch.Tensor.{call.func.attr}", self._library)
            return [text] if draws else self._of_arguments(call, frame, world)
        callees = self._callees(call.func, frame, world)
        found = [] if callees else [text]
        for value in callees:
            found += self._of_value(value, call, text)
        return found + self._of_arguments(call, frame, world)

    def _of_arguments(self, call: ast.Call, frame: Frame, world: World) -> list[str]:
        """What draws, or may, when the functions run that a call is given."""
        found: list[str] = []
        for argument in given_in(call):
            if isinstance(argument, ast.Name | ast.Attribute):
                for value in self._callees(argument, frame, world):
                    if isinstance(value, Function | Partial):
                        found += self._of_value(value, call, ast.unparse(argument))
        return found

    def _callees(self, node: ast.expr, frame: Frame, world: World) -> list[Value]:
        self._evaluator.start()
        return [value for value, _ in self._evaluator.values(node, Point(frame, None), world)]

    def _of_value(self, value: Value, call: ast.Call, text: str) -> list[str]:
        match value:
            case External() if value.name.startswith(_OF_FILES):
                return [] if _is_of_data(call.func) else [text]
            case External():
                return [text] if may_draw(value.name, self._library) else []
            case Partial():
                return self._of_value(value.callee, call, text)
            case Function():
                return self._of_function(value.node, text)
            case Class():
                inits = self._evaluator.classes.member(value, "__init__")
                return [
                    name
                    for init, _ in inits
                    if isinstance(init, Function)
                    for name in self._of_function(init.node, text)
                ]
            case Instance():
                methods = [
                    method
                    for name in ("__call__", "forward")
                    for method in self._evaluator.classes.methods(value, name)
                ]
                return (
                    [name for method in methods for name in self._of_function(method.node, text)]
                    if methods
                    else [text]
                )
            case Made() if f"{value.name}()".startswith(_OF_FILES):
                return [text]
            case Made():
                return [text] if may_draw(f"{value.name}().__call__", self._library) else []
            case Unknown():
                return [] if _is_of_data(call.func) else [text]
        return [text]

    def _of_function(self, node: FunctionNode | ast.Lambda, text: str) -> list[str]:
        """What a function of the program draws with, in every way that worker code runs it."""
        if id(node) in self._seen:
            return []
        self._seen.add(id(node))
        visits = [visit for visit in self._code.visits if visit.function.node is node]
        if not visits:
            return [text]
        found: list[str] = []
        for visit in visits:
            for inner in function_body(node):
                if isinstance(inner, ast.Call):
                    if self.draws_itself(inner, visit.frame, visit.world):
                        found.append(text)
                    else:
                        found += self.of_call(inner, visit.frame, visit.world)
        return found
