"""What becomes of a function, wherever it goes: whether it is only called, or somebody sees another object.

Its identity, its name, its attributes or its signature may matter to somebody; and on a class a function
becomes a method, which a ``functools.partial`` or a function of C does not.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from dlint.changes.mentions import mentions, uses_elsewhere
from dlint.changes.read_by_name import is_read_by_name
from dlint.changes.stores import Kin
from dlint.knowledge.processes.by_name import kept_as, only_calls
from dlint.source.closures import Callable_, bindings, owner, reads, trail_to
from dlint.source.desugaring.records import is_field
from dlint.source.nodes import walk
from dlint.source.statements import dotted, parameters
from dlint.values.functions import passed
from dlint.values.values import Class, External, Function, Value

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module

_MOST = 400  # places that are looked at
# What of a function a partial has not, or has otherwise.
_OF_FUNCTIONS = frozenset(
    {
        "__annotations__", "__closure__", "__code__", "__defaults__", "__get__", "__globals__",
        "__kwdefaults__", "__module__", "__name__", "__qualname__", "__wrapped__",
    }
)  # fmt: skip
_LOOK = (
    "inspect.", "types.", "typing.", "dis.", "builtins.isinstance", "builtins.type", "builtins.hasattr",
    "builtins.getattr",
)  # fmt: skip
_TELL_APART = frozenset({"builtins.id", "builtins.hash", "builtins.set", "builtins.frozenset"})
_HARMLESS = frozenset({"staticmethod", "classmethod", "abstractmethod", "abc.abstractmethod"})

_Trail: TypeAlias = Sequence[ast.AST]


@dataclass
class Fate:
    """What becomes of a function.

    ``calls`` are those of it that the program writes. ``seen``: something else than a call may come to it.
    ``changed``: attributes of it are set. ``on_class``: it is stored on a class. ``looked_at``: somebody
    asks for its name, its parameters or its type. ``told_apart``: somebody asks whether it is the same as
    another. ``role`` is the name by which it is first taken.
    """

    calls: list[ast.Call] = field(default_factory=list)
    role: str | None = None
    seen: bool = False
    changed: bool = False
    on_class: bool = False
    looked_at: bool = False
    told_apart: bool = False


def fate(program: Program, module: Module, trails: Sequence[_Trail]) -> Fate:
    """What becomes of what stands at the ends of trails (each from the module's tree down)."""
    search = _Search(program, module)
    for trail in trails:
        search.follow(module, trail)
    return search.fate


class _Search:
    def __init__(self, program: Program, home: Module) -> None:
        self._program = program
        self._home = home
        self.fate = Fate()
        self._left = _MOST
        self._done: set[object] = set()
        self._is_one_of_many = False

    def follow(self, module: Module, trail: _Trail) -> None:
        """Goes where what stands at the end of a trail goes."""
        self._left -= 1
        if self._left < 0:
            self.fate.seen = True
            return
        node, above = trail[-1], trail[-2]
        match above:
            case ast.Call(func=func) if func is node:
                self.fate.calls.append(above)
            case ast.keyword() | ast.Call():
                call = above if isinstance(above, ast.Call) else trail[-3]
                if isinstance(call, ast.Call):
                    self._given(module, trail, call, node)
                else:
                    self.fate.seen = True
            case ast.IfExp(test=test) if test is node:
                pass
            case ast.If() | ast.While() | ast.Assert() | ast.UnaryOp(op=ast.Not()):
                pass
            case ast.Compare(comparators=[ast.Constant(value=None)]):
                pass
            case ast.BoolOp() | ast.IfExp() | ast.List() | ast.Tuple():
                self._is_one_of_many = self._is_one_of_many or isinstance(above, ast.List | ast.Tuple)
                self.follow(module, trail[:-1])
            case ast.For(iter=held, target=ast.Name(id=name)) if held is node:
                self._variable(module, name, trail[:-1])
            case ast.comprehension(target=ast.Name(id=name), iter=held) if held is node:
                self._reads(module, name, trail[:-2])
            case ast.Subscript(value=held) if held is node and isinstance(above.ctx, ast.Load):
                self.follow(module, trail[:-1])
            case ast.Assign(targets=targets):
                for target in targets:
                    self._stored(module, target, trail)
            case ast.AnnAssign(target=target):
                self._stored(module, target, trail)
            case ast.Return():
                self._result(module, trail)
            case _:
                self._otherwise(trail)

    def _otherwise(self, trail: _Trail) -> None:
        """Somebody does something else with it: what can be told of that."""
        node, above = trail[-1], trail[-2]
        self.fate.seen = True
        match above:
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                self.fate.changed = True
            case ast.Attribute(attr=name) if name in _OF_FUNCTIONS:
                self.fate.looked_at = True
            case ast.Compare() | ast.Set():
                self.fate.told_apart = True
            case ast.Subscript(slice=key) if key is node:
                self.fate.told_apart = True
            case ast.Dict(keys=keys) if any(key is node for key in keys):
                self.fate.told_apart = True
            case ast.Dict() if isinstance(trail[-3], ast.Call) and dotted(trail[-3].func) == "type":
                self.fate.on_class = True

    # Where it is stored

    def _stored(self, module: Module, target: ast.expr, trail: _Trail) -> None:
        above = list(trail[:-1])
        match target:
            case ast.Name(id=name):
                cls = _class_of_line(trail)
                if cls is not None and is_field(cls, name):
                    self.fate.seen = True
                    self._attribute(name)
                elif cls is not None:
                    self.fate.seen = self.fate.on_class = True
                else:
                    self._variable(module, name, above)
            case ast.Attribute(value=holder, attr=name):
                if self._is_class(module, holder, trail):
                    self.fate.on_class = True
                self._attribute(name, self._kin(module, holder, trail))
            case _:
                self.fate.seen = True

    def _is_class(self, module: Module, holder: ast.expr, trail: _Trail) -> bool:
        """Whether an expression may be a class."""
        match holder:
            case ast.Attribute(attr="__class__") | ast.Call(func=ast.Name(id="type"), args=[_]):
                return True
        point = self._program.evaluator.sites.point_of(module, list(trail))
        values = [value for value, _ in self._program.evaluator.values(holder, point)]
        if any(isinstance(value, Class) for value in values):
            return True
        return isinstance(holder, ast.Name) and holder.id in ("cls", "klass")

    def _variable(self, module: Module, name: str, trail: _Trail) -> None:
        index = owner(name, trail)
        if index is not None:
            self._reads(module, name, trail[: index + 1])
            return
        tree = module.tree
        if not any(each.name == name for each in bindings(tree)):
            self.fate.seen = True  # by ``global``
            return
        self._reads(module, name, [tree])
        if any(True for _ in uses_elsewhere(self._program, module.relative, name)):
            self.fate.seen = True

    def _reads(self, module: Module, name: str, above: _Trail) -> None:
        if self._is_new(("variable", id(above[-1]), name)):
            for each in reads(name, above[-1], above):
                self.follow(module, each)

    def _kin(self, module: Module, holder: ast.expr, trail: _Trail) -> Kin | None:
        """The class of the object that an expression stands for, where that is a method's own; None where
        any may be meant."""
        for index in range(len(trail) - 1, 0, -1):
            outer, inner = trail[index - 1], trail[index]
            if isinstance(inner, ast.FunctionDef) and isinstance(outer, ast.ClassDef):
                own = parameters(inner)[:1]
                if isinstance(holder, ast.Name) and [each.arg for each in own] == [holder.id]:
                    frame = self._program.evaluator.sites.frame_of(module, list(trail[:index]))
                    return Kin(self._program, Class(outer, frame))
                return None
        return None

    def _attribute(self, name: str, kin: Kin | None = None) -> None:
        """It is an attribute of this name, of an object of a class or (``kin`` is None) of any."""
        if not self._is_new(("attribute", name, id(kin.cls.node) if kin is not None else None)):
            return
        if is_read_by_name(self._program, self._home, name):
            self.fate.seen = True
        for each in mentions(self._program, name):
            node = each.node
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                if kin is None or kin.may_be(node.value, each.module, each.trail):
                    self.follow(each.module, each.trail)
            elif _is_descriptor(each.trail):
                self.fate.seen = True

    def _is_new(self, mark: object) -> bool:
        if mark in self._done:
            return False
        self._done.add(mark)
        return True

    # Where it is given back

    def _result(self, module: Module, trail: _Trail) -> None:
        frame = self._program.evaluator.sites.frame_of(module, list(trail))
        scope = frame.scope
        if not isinstance(scope, ast.FunctionDef) or frame.owner is not None or scope.decorator_list:
            self.fate.seen = True
            return
        if not self._is_new(("result", id(scope))):
            return
        called = False
        for each in mentions(self._program, scope.name):
            node = each.node
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                called = True
                self._called(each.module, each.trail)
            elif isinstance(node, ast.alias) and node.asname not in (None, scope.name):
                for trail in each.module.paths_to(node.asname or ""):
                    if isinstance(trail[-1], ast.Name) and isinstance(trail[-1].ctx, ast.Load):
                        self._called(each.module, trail)
        self.fate.seen = self.fate.seen or not called

    def _called(self, module: Module, trail: _Trail) -> None:
        """A function that gives it back is mentioned."""
        above = trail[-2]
        if isinstance(above, ast.Call) and above.func is trail[-1]:
            self.follow(module, trail[:-1])
        else:
            self.fate.seen = True

    # Where it is given to

    def _given(self, module: Module, trail: _Trail, call: ast.Call, node: ast.AST) -> None:
        if isinstance(trail[-2], ast.Call) and any(isinstance(each, ast.Starred) for each in call.args):
            self.fate.seen = True
        point = self._program.evaluator.sites.point_of(module, list(trail))
        values = [value for value, _ in self._program.evaluator.values(call.func, point)]
        if not values:
            self.fate.seen = True
        above = trail[-2]
        if isinstance(above, ast.keyword):
            self._name(above.arg)
        for value in values:
            self._taken(module, trail, value, call, node)

    def _name(self, parameter: str | None) -> None:
        if not self._is_one_of_many:
            self.fate.role = self.fate.role or parameter

    def _taken(self, module: Module, trail: _Trail, value: Value, call: ast.Call, node: ast.AST) -> None:
        """What is called takes it for an argument."""
        match value:
            case External(name="builtins.setattr") if call.args:
                self.fate.seen = True
                if call.args[0] is node:
                    self.fate.changed = True
                elif self._is_class(module, call.args[0], trail):
                    self.fate.on_class = True
            case External(name=name):
                self._by_library([name], trail)
            case Class():
                self._by_class(trail, value, call, node)
            case Function():
                self._parameter(value, call, node)
            case _:
                self.fate.seen = True
                self._by_classes_above(module, trail, call, node)

    def _by_classes_above(self, module: Module, trail: _Trail, call: ast.Call, node: ast.AST) -> None:
        """It is given to ``super().__init__``, of whatever object."""
        match call.func:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr="__init__"):
                pass
            case _:
                return
        index = next((i for i, each in enumerate(trail) if isinstance(each, ast.ClassDef)), None)
        inner = trail[index] if index is not None else None
        if index is None or not isinstance(inner, ast.ClassDef):
            return
        own = Class(inner, self._program.evaluator.sites.frame_of(module, list(trail[: index + 1])))
        for value, _ in self._program.evaluator.classes.member_above(own, "__init__"):
            if isinstance(value, Function):
                self._parameter(Function(value.node, value.frame, own, value.owner), call, node)

    def _by_library(self, names: Sequence[str], trail: _Trail) -> None:
        self.fate.looked_at = self.fate.looked_at or any(name.startswith(_LOOK) for name in names)
        self.fate.told_apart = self.fate.told_apart or not _TELL_APART.isdisjoint(names)
        if not names or not all(map(only_calls, names)):
            self.fate.seen = True
            return
        above = trail[-2]
        keyword = above.arg if isinstance(above, ast.keyword) else None
        for name in names:
            for attribute in kept_as(name, keyword):
                self._attribute(attribute)

    def _by_class(self, trail: _Trail, value: Class, call: ast.Call, node: ast.AST) -> None:
        classes = self._program.evaluator.classes
        for above in classes.line(value):
            if above.node.decorator_list or above.node.keywords:
                self.fate.seen = True
        if classes.member(value, "__new__"):
            self.fate.seen = True
        found = [each for each, _ in classes.member(value, "__init__")]
        if not found:
            self._by_library(sorted(classes.libraries(value)), trail)
        for each in found:
            if isinstance(each, Function):
                self._parameter(Function(each.node, each.frame, value, each.owner), call, node)
            else:
                self.fate.seen = True

    def _parameter(self, function: Function, call: ast.Call, node: ast.AST) -> None:
        scope: Callable_ = function.node
        names = [name for name, each in passed(function, call).items() if each is node]
        own = {each.arg for each in walk(scope.args) if isinstance(each, ast.arg)}
        trail = trail_to(function.module.tree, scope)
        if (
            trail is None
            or len(names) != 1
            or names[0] not in own
            or scope.args.vararg
            or scope.args.kwarg
            or not _is_itself(scope)
        ):
            self.fate.seen = True
            return
        self._name(names[0])
        if sum(each.name == names[0] for each in bindings(scope)) != 1:
            self.fate.seen = True
        self._reads(function.module, names[0], trail)


def _is_itself(scope: Callable_) -> bool:
    """Whether nothing is put around a function."""
    return isinstance(scope, ast.Lambda) or all(dotted(each) in _HARMLESS for each in scope.decorator_list)


def _class_of_line(trail: _Trail) -> ast.ClassDef | None:
    """The class that an assignment, which the node at the end of a trail is the value of, stands in."""
    for each in reversed(trail[:-2]):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module):
            return None
        if isinstance(each, ast.ClassDef):
            return each
    return None


def _is_descriptor(trail: _Trail) -> bool:
    """Whether what a class has by a name may do something of its own when the attribute is stored."""
    node, above = trail[-1], trail[-2]
    if isinstance(node, ast.FunctionDef):
        return isinstance(above, ast.ClassDef) and bool(node.decorator_list)
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Store):
        return False
    in_class = len(trail) > 2 and isinstance(trail[-3], ast.ClassDef)
    return in_class and isinstance(getattr(above, "value", None), ast.Call)
