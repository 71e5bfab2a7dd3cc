"""Calls that only describe what is made later: detectron2's ``LazyCall(make)(name="train")``, and classes of
a program's own of that form, whose objects put what they were given and what they are called with in one
mapping (``kwargs["_target_"] = self._target``).

What is described counts as called where it is described: whoever instantiates it does nothing else, and often
finds it in a file that only the command line names.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.words.reflection import DESCRIBES
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, functions_in, parameters, self_name
from dlint.values.frame import Argument, Arguments, Point, arguments_of
from dlint.values.outcomes import Outcome
from dlint.values.values import Class, External, Partial, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

_TARGET = "_target_"
_SAMPLER = "sampler"


class LazyCalls:
    """Questions about calls that are only described."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._describes: dict[int, bool] = {}

    def describes(self, callee: Value) -> bool:
        """Whether an object of a class, called, describes a call of what its constructor was given."""
        if isinstance(callee, External):
            return callee.name in DESCRIBES
        if not isinstance(callee, Class):
            return False
        known = self._describes.get(id(callee.node))
        if known is None:
            known = _TARGET in callee.module.text and _is_of_that_form(callee.node)
            self._describes[id(callee.node)] = known
        return known

    def described(self, cls: Class, arguments: Arguments, world: World) -> list[Outcome]:
        """What an object of such a class stands for, as one to be called; empty for any other class."""
        if not arguments.positional or not self.describes(cls):
            return []
        rest = Arguments(arguments.positional[1:], arguments.keywords)
        told = self._evaluator.value_of(arguments.positional[0], world)
        return [(Partial(target, rest), w) for target, w in told]

    def told(self, call: ast.Call, point: Point) -> Arguments:
        """The arguments that are written at a call. Of one that only describes what is called later nobody
        knows the numbers and samplers of which the program stores others (``train.num_workers = 8``); what
        else it is made of, some configuration has."""
        given = arguments_of(call, point)
        if isinstance(call.func, ast.Call) and self.is_maker(call.func, point):
            index = self._evaluator.modules.index
            later = {
                name: Argument(None, None, Unknown(("told later", id(call), name)))
                for name, each in given.keywords.items()
                if (isinstance(each.expression, ast.Constant) or name.endswith(_SAMPLER))
                and index.stored_elsewhere(name)
            }
            if later:
                keywords = {**given.keywords, **later}
                return Arguments(given.positional, keywords, given.spread, given.splats)
        return given

    def stand_in(self, statement: ast.stmt, point: Point) -> bool:
        """Whether a statement describes a call."""
        return any(
            isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and self.is_maker(node.func, point)
            for node in walk(statement)
        )

    def is_maker(self, call: ast.Call, point: Point) -> bool:
        """Whether a call gives what describes a call of its argument."""
        return any(self.describes(value) for value, _ in self._evaluator.values(call.func, point))


def _is_of_that_form(node: ast.ClassDef) -> bool:
    """Whether a class keeps what its constructor is given, and its call puts that in a mapping."""
    methods = {each.name: each for each in functions_in(node.body)}
    init, called = methods.get("__init__"), methods.get("__call__")
    if init is None or called is None:
        return False
    given = [each.arg for each in parameters(init)][1:2]
    kept = {
        target.attr
        for statement in init.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Name)
        and statement.value.id in given
        for target in statement.targets
        if isinstance(target, ast.Attribute)
    }
    inside = list(walk(called))
    names = {
        target.id
        for each in inside
        if isinstance(each, ast.Assign) and _is_kept(each.value, kept, called)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    return any(
        _is_kept(value, kept, called) or (isinstance(value, ast.Name) and value.id in names)
        for each in inside
        for value in _put_as_target(each)
    )


def _is_kept(node: ast.expr, kept: set[str], method: FunctionNode) -> bool:
    """Whether an expression reads one of some attributes of a method's own object."""
    return isinstance(node, ast.Attribute) and node.attr in kept and _is_own(node, method)


def _is_own(node: ast.Attribute, method: FunctionNode) -> bool:
    """Whether an attribute is one of a method's own object."""
    return isinstance(node.value, ast.Name) and node.value.id == self_name(method)


def _put_as_target(node: ast.AST) -> list[ast.expr]:
    """What a part of a function puts in a mapping as the target."""
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=key))], value=value) if (
            key == _TARGET
        ):
            return [value]
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == _TARGET]
        case ast.keyword(arg=name, value=value) if name == _TARGET:
            return [value]
    return []
