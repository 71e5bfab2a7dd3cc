"""What is stored under an attribute of what an expression means, by the way that came: ``args.workers`` where
``args = quick_args()``, ``args = self.args`` or ``no_workers(args)`` stands before.

A path belongs to the object, so it crosses names, calls and the attributes that objects keep others in: what
was stored under it where the object comes from is there, until the scope itself stores something else.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.objects.elsewhere.may_store import MayStore
from dlint.source.statements import dotted, parameters
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.values import Function, Instance, Key, Value

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.values.outcomes import Outcome
    from dlint.values.worlds import World

_DEEPEST = 6
_NONE: frozenset[int] = frozenset()


class Members:
    """Questions about attributes that somebody else has stored."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.may_store = MayStore(evaluator.modules)
        # The paths that are asked for elsewhere, each by the id of what has the attribute, or of the function
        # and the path in it.
        self._asked: dict[Key, ast.Attribute] = {}
        self._makers: dict[tuple[Key, str], Frame | None] = {}

    def of(self, node: ast.expr, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        """The values of ``node.attribute`` as it was stored where what ``node`` means comes from; None where
        nobody is known to have stored it."""
        if point.frame.depth > _DEEPEST:
            return None
        if isinstance(node, ast.Call):
            return self._of_call(node, attribute, point, world)
        path = dotted(node)
        if path is None or point.locals:
            return None
        if path not in point.frame.layout.binds:
            return self._of_unbound(node, attribute, point, world)
        found: list[Outcome] = []
        for statement, w in self._evaluator.flow.definitions(path, point, world):
            at = Point(point.frame, statement)
            match statement:
                case None:
                    held = self._of_unbound(node, attribute, point, w)
                case ast.Assign(targets=[target], value=ast.Call() as call) if dotted(target) == path:
                    held = self._of_call(call, attribute, at, w)
                case ast.Assign(targets=[target], value=ast.Name() | ast.Attribute() as value) if (
                    dotted(target) == path
                ):
                    held = self._evaluator.values(self._member(value, attribute), at, w)
                case _:
                    return None
            if held is None:
                return None
            found += held
        return found or None

    def changing(self, node: ast.Attribute, frame: Frame) -> frozenset[int]:
        """The statements of a scope, and those around them, that hand the holder of an attribute to functions
        of the program that store in the attribute: ``no_workers(args)``."""
        base = dotted(node.value)
        if base is None or not self._evaluator.modules.index.stored_elsewhere(node.attr):
            return _NONE
        return self.may_store.followed(frame.scope, base, node.attr).statements

    def after(self, statement: ast.stmt, node: ast.Attribute, frame: Frame, world: World) -> list[Outcome]:
        """The values of a path after one of these statements."""
        at = Point(frame, statement)
        call = getattr(statement, "value", None)
        assert isinstance(call, ast.Call)
        found: list[Outcome] = []
        for callee, w in self._evaluator.values(call.func, at, world):
            stored = self._left_by(callee, call, node, at, w)
            found += self._evaluator.values(node, at, w) if stored is None else stored
        return found

    def _left_by(
        self, callee: Value, call: ast.Call, node: ast.Attribute, at: Point, world: World
    ) -> list[Outcome] | None:
        """What stands under a path when a function that was given its holder has returned; None where the
        function does nothing to it."""
        function = self._entered(callee, at)
        if function is None:
            return None
        arguments = arguments_of(call, at)
        name = _name_of(dotted(node.value), function, arguments)
        if name is None:
            return None
        frame = self._evaluator.calls.enter(function, arguments, call, at)
        inside = self._path((id(function.node), name, node.attr), ast.Name(name, ast.Load()), node)
        if f"{name}.{node.attr}" not in frame.layout.binds and not self.changing(inside, frame):
            return None
        found: list[Outcome] = []
        assert isinstance(function.node, ast.FunctionDef)
        returns, falls, _ = self._evaluator.calls.shape(function.node)
        for end in (*returns, *([None] if falls else [])):
            for w in self._evaluator.flow.reaching(Point(frame, end), world):
                found += self._evaluator.values(inside, Point(frame, end), w)
        return found or None

    def _of_call(self, call: ast.Call, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        found: list[Outcome] = []
        for callee, w in self._evaluator.values(call.func, point, world):
            function = self._entered(callee, point)
            if function is None:
                return None
            frame = self._evaluator.calls.enter(function, arguments_of(call, point), call, point)
            held = self._returned(function.node, attribute, frame, w)
            if held is None:
                return None
            found += held
        return found or None

    def _entered(self, callee: Value, point: Point) -> Function | None:
        """A plain function or method of the program that can be followed into."""
        if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
            return None
        if callee.node.decorator_list or point.frame.depth >= _DEEPEST:
            return None
        return None if self._evaluator.calls.shape(callee.node)[2] else callee

    def _returned(
        self, function: ast.AST, attribute: str, frame: Frame, world: World
    ) -> list[Outcome] | None:
        """What stands under an attribute of all that a function returns."""
        assert isinstance(function, ast.FunctionDef)
        found: list[Outcome] = []
        for statement in self._evaluator.calls.shape(function)[0]:
            value, at = statement.value, Point(frame, statement)
            if not isinstance(value, ast.Name | ast.Attribute | ast.Call):
                return None
            path = dotted(value)
            member = self._member(value, attribute)
            own = path is not None and (
                f"{path}.{attribute}" in frame.layout.binds or bool(self.changing(member, frame))
            )
            for w in self._evaluator.flow.reaching(at, world):
                held = self._evaluator.values(member, at, w) if own else self.of(value, attribute, at, w)
                if held is None:
                    return None
                found += held
        return found or None

    def _of_unbound(self, node: ast.expr, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        """The same of what the scope has not bound itself: a parameter, or what its object keeps."""
        if isinstance(node, ast.Name):
            return self._evaluator.parameters.member(node.id, attribute, point.frame, world)
        return self._kept(node, attribute, point, world) if isinstance(node, ast.Attribute) else None

    def _kept(self, node: ast.Attribute, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        """The values of ``holder.name.attribute`` where the holder's constructor alone stores what it keeps
        under the name: what the constructor leaves there."""
        found: list[Outcome] = []
        for holder, w in self._evaluator.values(node.value, point, world):
            frame = self._maker(holder, node.attr) if isinstance(holder, Instance) else None
            if frame is None or frame.scope is point.frame.scope:
                return None
            scope = frame.scope
            assert isinstance(scope, ast.FunctionDef)
            own = self._path(
                (id(scope), "self", node.attr), ast.Name(parameters(scope)[0].arg, ast.Load()), node
            )
            found += self._evaluator.values(self._member(own, attribute), Point(frame, None), w)
        return found or None

    def _maker(self, instance: Instance, name: str) -> Frame | None:
        """The call of the one ``__init__`` that stores an attribute, if nothing else does."""
        mark = (instance.key, name)
        if mark not in self._makers:
            attributes, classes = self._evaluator.attributes, self._evaluator.classes
            storing = attributes.storing(instance, name)
            frame: Frame | None = None
            if (
                len(storing) == 1
                and storing[0][1].name == "__init__"
                and not classes.member(instance.cls, name)
            ):
                frames = [
                    each
                    for _, each in self._evaluator.initialisers.of(instance)
                    if each.scope is storing[0][1]
                ]
                if len(frames) == 1 and not attributes.is_set_from_outside(instance, name):
                    frame = frames[0]
            self._makers[mark] = frame
        return self._makers[mark]

    def _member(self, value: ast.expr, attribute: str) -> ast.Attribute:
        return self._path((id(value), attribute), value, value, attribute)

    def _path(self, mark: Key, value: ast.expr, at: ast.expr, attribute: str | None = None) -> ast.Attribute:
        """An attribute of an expression, as an expression; it stays the same for the same mark."""
        node = self._asked.get(mark)
        if node is None:
            if attribute is None:
                assert isinstance(at, ast.Attribute)
                attribute = at.attr
            node = ast.Attribute(ast.copy_location(value, at), attribute, ast.Load())
            self._asked[mark] = ast.copy_location(node, at)
        return node


def _name_of(path: str | None, function: Function, arguments: Arguments) -> str | None:
    """The name under which a function gets what the caller has under a path."""
    assert isinstance(function.node, ast.FunctionDef)
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    if function.receiver is not None:
        names = names[1:]
    named = [*zip(names, arguments.positional, strict=False)]
    named += [(name, each) for name, each in arguments.keywords.items() if name in names]
    for name, given in named:
        if given.expression is not None and dotted(given.expression) == path:
            return name
    return None
