"""What a name stands for in a frame: what a statement gives it, parameters, enclosing scopes, builtins."""

from __future__ import annotations

import ast
import builtins
import itertools
from typing import TYPE_CHECKING

from dlint.evaluation.contents.changed import Changed
from dlint.evaluation.contents.unpacked import parts
from dlint.evaluation.dicts.handed import after_call
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, changed_names, dotted, parameters, taken, target_names
from dlint.values.frame import Argument, Frame, Point, arguments_of
from dlint.values.operators import operate
from dlint.values.outcomes import Outcome, told_apart, within
from dlint.values.values import GENERATOR, Class, Const, External, Function, Items, Table, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

# Each module has others of these: one is run as the script, and what it imports is not.
_OF_EACH_MODULE = frozenset({"__name__", "__doc__", "__package__", "__loader__", "__spec__"})
_BUILTINS = frozenset(dir(builtins)) - _OF_EACH_MODULE


class Names:
    """Look-up of names in frames."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._changed = Changed(evaluator)
        self._nonlocal: dict[int, frozenset[str]] = {}
        self._asked: dict[int, frozenset[str]] = {}

    def lookup(self, name: str, point: Point, world: World) -> list[Outcome]:
        """The values of a name at a point."""
        frame = point.frame
        if name not in frame.layout.binds:
            return self.from_start(name, frame, world)
        if name in self._set_inside(frame):
            # What an inner function sets it to, and when, is not known.
            found = self._looked_up(name, point, world)
            return [
                (Unknown(("nonlocal", frame.key, name)) if isinstance(value, Const) else value, w)
                for value, w in found
            ]
        found = self._looked_up(name, point, world)
        if len(found) > 1 and name in self._sifted(frame):
            return self._evaluator.truths.let_through(name, found, point) or found
        return found

    def _sifted(self, frame: Frame) -> frozenset[str]:
        """The names of which a scope asks whether they are classes below another."""
        known = self._asked.get(id(frame.scope))
        if known is None:
            names: set[str] = set()
            for node in frame.layout.nodes if "issubclass" in frame.module.text else ():
                match node:
                    case ast.Call(func=ast.Name(id="issubclass"), args=[ast.Name(id=name), _]):
                        names.add(name)
            known = self._asked[id(frame.scope)] = frozenset(names)
        return known

    def _set_inside(self, frame: Frame) -> frozenset[str]:
        """The names of a function that functions in it declare nonlocal."""
        scope = frame.scope
        found = self._nonlocal.get(id(scope))
        if found is None:
            inside = isinstance(scope, FunctionNode) and "nonlocal" in frame.module.text
            declared = (
                [node.names for node in walk(scope) if isinstance(node, ast.Nonlocal)] if inside else []
            )
            found = self._nonlocal[id(scope)] = frozenset(name for names in declared for name in names)
        return found

    def _looked_up(self, name: str, point: Point, world: World) -> list[Outcome]:
        frame = point.frame
        if frame.outer is None and point.statement is None:
            found = within(self._evaluator.namespaces.of_module(name, frame), world)
            return told_apart(found, (id(frame.scope), name))
        if name in frame.layout.changes:
            # Only what is known to be a container is worth following through its changes.
            roots = self._reached(name, point, world, anew=True)
            if not any(isinstance(value, Items | Table) for value, _ in roots):
                return roots
        found = self._reached(name, point, world, anew=False)
        if frame.outer is None:
            # What functions and decorators put in a dict of the module, its body finds there as well.
            of_module = self._evaluator.filled.of_module
            found = [
                (of_module(value, frame.module, name) if isinstance(value, Table) else value, w)
                for value, w in found
            ]
        return found

    def _reached(self, name: str, point: Point, world: World, *, anew: bool) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for statement, w in self._evaluator.flow.definitions(name, point, world, anew=anew):
            if statement is None:
                outcomes += self.from_start(name, point.frame, w)
            else:
                outcomes += self.defined(statement, name, point.frame, w)
        return outcomes

    def from_start(self, name: str, frame: Frame, world: World) -> list[Outcome]:
        """The values of a name that the scope itself has not bound yet."""
        scope = frame.scope
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for parameter in parameters(scope):
                if parameter.arg == name:
                    return self._evaluator.parameters.values(name, frame, world)
        outer = frame.outer
        while outer is not None and isinstance(outer.scope, ast.ClassDef):
            outer = outer.outer  # methods do not see the names of their class
        if outer is not None:
            return self.lookup(name, Point(outer, None), world)
        if "*" in frame.layout.binds:
            found = self._evaluator.namespaces.from_star(name, frame)
            if found:
                return within(found, world)
        if name in _BUILTINS:
            return [(External(f"builtins.{name}"), world)]
        return [(Unknown(("unbound", frame.module.relative, name)), world)]

    def defined(self, statement: ast.stmt, name: str, frame: Frame, world: World) -> list[Outcome]:
        """The values that a statement gives to a name that it binds."""
        return told_apart(self._given(statement, name, frame, world), (id(statement), name, frame.key))

    def _given(self, statement: ast.stmt, name: str, frame: Frame, world: World) -> list[Outcome]:
        before = Point(frame, statement)
        evaluator = self._evaluator
        if name in frame.layout.aliased.get(id(statement), ()):
            return [
                (evaluator.containers.forgotten(held, before), w)
                for held, w in self._changed.before(name, before, world)
            ]
        match statement:
            case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call) if (
                name in frame.layout.handed.get(id(statement), ())
            ):
                return after_call(evaluator, call, name, self._changed.before(name, before, world), before)
        inside = self._changed.inside(statement, name, before, world)
        if inside is not None:
            return inside
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in reversed(targets):
                    if isinstance(target, ast.Subscript) and dotted(target.value) == name:
                        return self._changed.stored(target, Argument(value, before), name, before, world)
                    if name in target_names(target):
                        return self._assigned(target, Argument(value, before), name, before, world)
                if name in changed_names(statement):
                    return self._changed.left(name, before, world)
                return self._named_inside(value, name, before, world)
            case ast.AugAssign(target=target, op=op, value=value):
                if isinstance(target, ast.Subscript):
                    return self._changed.before(name, before, world)
                binary = ast.BinOp(left=_load(target), op=op, right=value)
                ast.copy_location(binary, statement)
                return [
                    (operate(binary, left, right, before), v)
                    for left, w in self._changed.before(name, before, world)
                    for right, v in evaluator.values(value, before, w)
                ]
            case ast.Expr(value=ast.Call() as call) if not any(path == name for path, _ in taken(statement)):
                return [
                    outcome
                    for held, w in self._changed.before(name, before, world)
                    for outcome in evaluator.containers.mutated(held, call, before, w)
                ]
            case ast.Expr() | ast.Delete():
                if name in changed_names(statement):
                    return self._changed.left(name, before, world)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return [(self.function(statement, frame), world)]
            case ast.ClassDef():
                return [(Class(statement, frame), world)]
            case ast.Import():
                for alias in statement.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    if bound == name:
                        wanted = alias.name if alias.asname else bound
                        return [
                            (self._evaluator.namespaces.module_named(wanted, frame.module.relative), world)
                        ]
            case ast.ImportFrom():
                for alias in statement.names:
                    if (alias.asname or alias.name) == name:
                        return [
                            outcome
                            for source in self._evaluator.namespaces.imported_module(statement, frame)
                            for outcome in self._evaluator.namespaces.imported(
                                source, alias.name, frame.module, world
                            )
                        ]
            case ast.For() | ast.AsyncFor():
                source = Argument(statement.iter, before, element=True)
                return self._assigned(statement.target, source, name, before, world)
            case ast.With() | ast.AsyncWith():
                for item in statement.items:
                    if item.optional_vars is not None and name in target_names(item.optional_vars):
                        return [
                            (entered, w)
                            for value, w in self._with_others(item.context_expr, statement, before, world)
                            for entered in self._entered(value)
                        ]
            case ast.If(test=test) | ast.While(test=test):
                return self._named_inside(test, name, before, world)
        return [(Unknown(("bound", id(statement), name, frame.key)), world)]

    def _named_inside(self, node: ast.expr, name: str, before: Point, world: World) -> list[Outcome]:
        """What an expression names in passing: ``(file := open(path)).read(4) != MAGIC``."""
        for each in walk(node):
            if isinstance(each, ast.NamedExpr) and each.target.id == name:
                return self._evaluator.values(each.value, before, world)
        return [(Unknown(("bound", id(before.statement), name, before.frame.key)), world)]

    def _with_others(
        self, node: ast.expr, statement: ast.With | ast.AsyncWith, before: Point, world: World
    ) -> list[Outcome]:
        """What an item of a ``with`` is, which may be a method of one before it (``with connect(path) as
        connection, connection.cursor() as rows:``)."""
        evaluator = self._evaluator
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if any(
                isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == name
                for item in itertools.takewhile(lambda each: each.context_expr is not node, statement.items)
            ):
                given = arguments_of(node, before)
                return [
                    outcome
                    for owner, w in self.defined(statement, name, before.frame, world)
                    for callee, v in evaluator.attribute(owner, method, node.func, before, w)
                    for outcome in evaluator.invoke(callee, given, node, before, v)
                ]
        return evaluator.values(node, before, world)

    def _entered(self, value: Value) -> list[Value]:
        """What ``with`` gives for a context manager: of one that is a generator, what it yields."""
        if isinstance(value, Items) and value.kind == GENERATOR:
            return self._evaluator.containers.elements(value)
        return [value]

    def function(self, node: FunctionNode, frame: Frame) -> Value:
        """A function as its scope sees it; one decorated with what makes a class method is bound later."""
        return Function(node, frame)

    def _assigned(
        self, target: ast.expr, source: Argument, name: str, before: Point, world: World
    ) -> list[Outcome]:
        evaluator = self._evaluator
        if isinstance(target, ast.Tuple | ast.List):
            return [
                outcome
                for value, w in evaluator.value_of(source, world)
                for part, inner in parts(self._evaluator, target, value)
                if name in target_names(inner)
                for outcome in self._assigned(inner, Argument(None, None, part), name, before, w)
            ]
        if isinstance(target, ast.Starred):
            if source.value is not None and isinstance(source.value, Items):
                return [(source.value, world)]
            return [(Unknown(("rest", id(target), before.frame.key)), world)]
        return evaluator.value_of(source, world)

    def taken(self, argument: Argument, world: World) -> list[Outcome]:
        """What a variable of a comprehension gets of each element."""
        assert argument.taken is not None and argument.point is not None
        target, name = argument.taken
        whole = Argument(argument.expression, argument.point, element=True)
        return self._evaluator.answer(
            ("taken", id(target), name, argument.point.key, id(argument.point.locals)),
            world,
            lambda w: [
                (part, v)
                for value, v in self._evaluator.value_of(whole, w)
                for part, inner in parts(self._evaluator, target, value)
                if name in target_names(inner)
            ],
        )


def _load(target: ast.expr) -> ast.expr:
    """An assignment's target as an expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target
