"""What a name stands for: assignments, imports, parameters, enclosing scopes, builtins."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from dlint.knowledge.names import canonical
from dlint.module.layout import FunctionNode, dotted, parameters, target_names
from dlint.program.frame import Argument, Frame, Point
from dlint.program.outcomes import Outcome, told_apart, widened
from dlint.program.values import (
    HERE,
    Class,
    External,
    Function,
    Items,
    Made,
    ModuleValue,
    Table,
    Unknown,
    Value,
    World,
)

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator

_BUILTINS = frozenset(dir(builtins))
# What `from library import *` brings, for the libraries people write that of.
_STAR_NAMES = {
    "torch.utils.data": frozenset({"DataLoader", "Dataset", "IterableDataset", "Subset", "TensorDataset"}),
    "random": frozenset({"random", "randint", "seed", "choice", "shuffle", "uniform"}),
    "cv2": frozenset({"imread", "cvtColor", "resize", "setNumThreads", "UMat", "warpAffine"}),
}
_GLOBAL_CYCLE = 12
_CHANGES = 40


class Names:
    """Look-up of names in frames."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._globals: dict[tuple[int, str], list[Value]] = {}
        self._global_stack: dict[tuple[int, str], int] = {}
        # Statements whose earlier state is being asked for: how deep, and whether they met themselves.
        self._changing: dict[tuple[int, str, object], list[int]] = {}
        self._global_writers: dict[tuple[int, str], bool] = {}

    def lookup(self, name: str, point: Point, world: World) -> list[Outcome]:
        """The values of a name at a point."""
        frame = point.frame
        if name not in frame.layout.binds:
            return self._from_start(name, frame, world)
        if frame.outer is None and point.statement is None:
            found = [(value, world) for value in self.of_module(name, frame)]
            return told_apart(found, (id(frame.scope), name))
        if name in frame.layout.changes:
            # Only what is known to be a container is worth following through its changes.
            roots = self._reached(name, point, world, anew=True)
            if not any(isinstance(value, Items | Table) for value, _ in roots):
                return roots
        return self._reached(name, point, world, anew=False)

    def _reached(self, name: str, point: Point, world: World, *, anew: bool) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for statement, w in self._evaluator.flow.definitions(name, point, world, anew=anew):
            if statement is None:
                outcomes += self._from_start(name, point.frame, w)
            else:
                outcomes += self.defined(statement, name, point.frame, w)
        return outcomes

    def of_module(self, name: str, frame: Frame) -> list[Value]:
        """What a module's name stands for once the module has run."""
        mark = (id(frame.scope), name)
        known = self._globals.get(mark)
        if known is not None:
            return known
        if mark in self._global_stack or len(self._global_stack) > _GLOBAL_CYCLE:
            self._evaluator.cut(self._global_stack.get(mark, 0))
            return [Unknown(("global", frame.module.relative, name))]
        self._global_stack[mark] = self._evaluator.depth
        try:
            values: dict[object, Value] = {}
            for statement, w in self._evaluator.flow.definitions(
                name, Point(frame, None), HERE, anew=name not in frame.layout.changes
            ):
                found = (
                    self._from_start(name, frame, w)
                    if statement is None
                    else self.defined(statement, name, frame, w)
                )
                # A name that some path never binds is not read there.
                values.update(
                    (value.key, value) for value, _ in found if statement is not None or len(found) == 1
                )
            if len(values) > 1:
                unbound = ("unbound", frame.module.relative, name)
                values.pop(unbound, None)
            if self._written_elsewhere(name, frame):
                values[("global", name)] = Unknown(("global", frame.module.relative, name))
        finally:
            del self._global_stack[mark]
        result = list(values.values())
        if not self._global_stack:
            self._globals[mark] = result
        return result

    def _written_elsewhere(self, name: str, frame: Frame) -> bool:
        """Whether some function of the module declares the name global."""
        mark = (id(frame.scope), name)
        answer = self._global_writers.get(mark)
        if answer is None:
            answer = False
            text = frame.module.text
            if "global " in text:
                for line in text.splitlines():
                    words = line.replace(",", " ").split()
                    if words and words[0] == "global" and name in words[1:]:
                        answer = True
                        break
            self._global_writers[mark] = answer
        return answer

    def _from_start(self, name: str, frame: Frame, world: World) -> list[Outcome]:
        """The values of a name that the scope itself has not bound yet."""
        scope = frame.scope
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for parameter in parameters(scope):
                if parameter.arg == name:
                    return self._evaluator.calls.parameter(name, frame, world)
        outer = frame.outer
        while outer is not None and isinstance(outer.scope, ast.ClassDef):
            outer = outer.outer  # methods do not see the names of their class
        if outer is not None:
            return self.lookup(name, Point(outer, None), world)
        if "*" in frame.layout.binds:
            found = self._from_star(name, frame)
            if found:
                return [(value, world) for value in found]
        if name in _BUILTINS:
            return [(External(f"builtins.{name}"), world)]
        return [(Unknown(("unbound", frame.module.relative, name)), world)]

    def _from_star(self, name: str, frame: Frame) -> list[Value]:
        if len(self._global_stack) > _GLOBAL_CYCLE:
            return []
        mark = (id(frame.scope), "*" + name)
        if mark in self._global_stack:
            return []
        self._global_stack[mark] = self._evaluator.depth
        try:
            for statement in star_imports(frame.module.tree.body):
                for source in self.imported_module(statement, frame):
                    if isinstance(source, ModuleValue):
                        found = self.exported(source, name)
                        if found:
                            return found
                    elif isinstance(source, External) and name in _STAR_NAMES.get(source.name, ()):
                        return [External(canonical(f"{source.name}.{name}"))]
        finally:
            del self._global_stack[mark]
        return []

    def defined(self, statement: ast.stmt, name: str, frame: Frame, world: World) -> list[Outcome]:
        """The values that a statement gives to a name that it binds."""
        return told_apart(self._given(statement, name, frame, world), (id(statement), name, frame.key))

    def _given(self, statement: ast.stmt, name: str, frame: Frame, world: World) -> list[Outcome]:
        before = Point(frame, statement)
        evaluator = self._evaluator
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in reversed(targets):
                    if isinstance(target, ast.Subscript) and dotted(target.value) == name:
                        return self._stored(target, Argument(value, before), name, before, world)
                    if name in target_names(target):
                        return self._assigned(target, Argument(value, before), name, before, world)
                return evaluator.values(value, before, world)  # a walrus inside
            case ast.AnnAssign(target=target, value=value) if value is not None:
                return self._assigned(target, Argument(value, before), name, before, world)
            case ast.AugAssign(target=target, op=op, value=value):
                if isinstance(target, ast.Subscript):
                    return self._before(name, before, world)
                binary = ast.BinOp(left=_load(target), op=op, right=value)
                ast.copy_location(binary, statement)
                from dlint.program.operators import operate

                return [
                    (operate(binary, left, right, before), v)
                    for left, w in self._before(name, before, world)
                    for right, v in evaluator.values(value, before, w)
                ]
            case ast.Expr(value=ast.Call() as call):
                return [
                    outcome
                    for held, w in self._before(name, before, world)
                    for outcome in evaluator.containers.mutated(held, call, before, w)
                ]
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Subscript) and dotted(target.value) == name:
                        return [
                            (evaluator.containers.deleted(held, target, before, w), w)
                            for held, w in self._before(name, before, world)
                        ]
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return [(self.function(statement, frame), world)]
            case ast.ClassDef():
                return [(Class(statement, frame), world)]
            case ast.Import():
                for alias in statement.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    if bound == name:
                        wanted = alias.name if alias.asname else bound
                        return [(self.module_named(wanted, frame.module.relative), world)]
            case ast.ImportFrom():
                for alias in statement.names:
                    if (alias.asname or alias.name) == name:
                        return [
                            outcome
                            for source in self.imported_module(statement, frame)
                            for outcome in self._imported(source, alias.name, world)
                        ]
            case ast.For() | ast.AsyncFor():
                source = Argument(statement.iter, before, element=True)
                return self._assigned(statement.target, source, name, before, world)
            case ast.With() | ast.AsyncWith():
                for item in statement.items:
                    if item.optional_vars is not None and name in target_names(item.optional_vars):
                        return evaluator.values(item.context_expr, before, world)
            case ast.If(test=test) | ast.While(test=test):
                for node in ast.walk(test):
                    if isinstance(node, ast.NamedExpr) and dotted(node.target) == name:
                        return evaluator.values(node.value, before, world)
        return [(Unknown(("bound", id(statement), name, frame.key)), world)]

    def function(self, node: FunctionNode, frame: Frame) -> Value:
        """A function as its scope sees it; one decorated with what makes a class method is bound later."""
        return Function(node, frame)

    def _before(self, name: str, before: Point, world: World) -> list[Outcome]:
        """The values that a name, or the attribute that a dotted name is, had before a statement that
        changes it. In a loop that may be what the same statement left the time before: containers are
        then open, other values unknown."""
        mark = (id(before.statement), name, before.frame.key)
        if mark in self._changing:
            self._changing[mark][1] = 1
            self._evaluator.cut(self._changing[mark][0])
            return [(Unknown(("changed", *mark)), world)]
        if len(self._changing) > _CHANGES:
            self._evaluator.cut()
            return [(Unknown(("changed", *mark)), world)]
        return self._evaluator.answer(("before", *mark), world, lambda w: self._held(name, before, mark, w))

    def _held(self, name: str, before: Point, mark: tuple[int, str, object], world: World) -> list[Outcome]:
        state = self._changing[mark] = [self._evaluator.depth, 0]
        try:
            if "." not in name:
                outcomes = self.lookup(name, before, world)
            else:
                expression = ast.parse(name, mode="eval").body
                outcomes = self._evaluator.values(expression, before, world)
        finally:
            del self._changing[mark]
        if state[1]:
            itself = Unknown(("changed", *mark)).key
            known = [(_opened(value, mark), w) for value, w in outcomes if value.key != itself]
            outcomes = known or outcomes
        return widened(outcomes, world)

    def _assigned(
        self, target: ast.expr, source: Argument, name: str, before: Point, world: World
    ) -> list[Outcome]:
        evaluator = self._evaluator
        if isinstance(target, ast.Tuple | ast.List):
            return [
                outcome
                for value, w in evaluator.value_of(source, world)
                for part, inner in self._parts(target, value)
                if name in target_names(inner)
                for outcome in self._assigned(inner, Argument(None, None, part), name, before, w)
            ]
        if isinstance(target, ast.Starred):
            return [(Unknown(("rest", id(target), before.frame.key)), world)]
        return evaluator.value_of(source, world)

    def _stored(
        self, target: ast.Subscript, source: Argument, name: str, before: Point, world: World
    ) -> list[Outcome]:
        """A container after ``name[key] = source``."""
        return [
            (changed, v)
            for held, w in self._before(name, before, world)
            for value, v in self._evaluator.value_of(source, w)
            for changed in self._evaluator.containers.stored(held, target, value, before, v)
        ]

    def _parts(self, target: ast.Tuple | ast.List, value: Value) -> list[tuple[Value, ast.expr]]:
        """What each target of an unpacking gets."""
        if isinstance(value, Items) and not value.open and len(value.items) == len(target.elts):
            return list(zip(value.items, target.elts, strict=True))
        if isinstance(value, Made):
            # Parts of a library's object (random_split, train_test_split) are made of the same things.
            return [
                (self._evaluator.containers.part(value, index), inner)
                for index, inner in enumerate(target.elts)
            ]
        return [(Unknown(("part", value.key, index)), inner) for index, inner in enumerate(target.elts)]

    def unpacked(self, target: ast.expr, source: Argument) -> dict[str, Argument]:
        """The variables of a comprehension and what they hold."""
        if isinstance(target, ast.Name):
            return {target.id: source}
        found: dict[str, Argument] = {}
        if isinstance(target, ast.Tuple | ast.List) and source.point is not None:
            values = [value for value, _ in self._evaluator.value_of(source, HERE)]
            for value in values[:1]:
                for part, inner in self._parts(target, value):
                    for name in target_names(inner):
                        found[name] = Argument(None, None, part)
        return found

    # Imports

    def module_named(self, name: str, importer: str) -> Value:
        """What ``import name`` binds, as a value."""
        modules = self._evaluator.modules
        return self._found(modules.imports.absolute(name, importer)) or External(canonical(name))

    def imported_module(self, statement: ast.ImportFrom, frame: Frame) -> list[Value]:
        """The module of ``from module import ...``; none when the project lacks a relative one."""
        modules = self._evaluator.modules
        importer = frame.module.relative
        if statement.level:
            found = self._found(modules.imports.relative(statement.level, statement.module, importer))
            return [found] if found is not None else []
        return [self.module_named(statement.module or "", importer)]

    def _found(self, place: str | None) -> Value | None:
        if place is None:
            return None
        if place.endswith(".py"):
            module = self._evaluator.modules.get(place)
            return ModuleValue(module, place.rpartition("/")[0]) if module is not None else None
        return ModuleValue(None, place)

    def _imported(self, source: Value, name: str, world: World) -> list[Outcome]:
        if isinstance(source, ModuleValue):
            return self.member(source, name, world)
        if isinstance(source, External):
            return [(External(canonical(f"{source.name}.{name}")), world)]
        return [(Unknown(("import", name)), world)]

    def member(self, module: ModuleValue, name: str, world: World) -> list[Outcome]:
        """The values of an attribute of a module of the program."""
        found: list[Value] = self.exported(module, name)
        return [(value, world) for value in found] or [(Unknown(("member", module.key, name)), world)]

    def exported(self, module: ModuleValue, name: str) -> list[Value]:
        """What a module of the program has under a name: its own, by a star import, or a submodule."""
        if module.module is not None:
            frame = self._evaluator.modules.frame(module.module)
            if name in frame.layout.binds:
                return self.of_module(name, frame)
            if "*" in frame.layout.binds:
                found = self._from_star(name, frame)
                if found:
                    return found
            if not module.module.is_package:
                return []
        child = self._evaluator.modules.imports.child(module.folder or "", name)
        value = self._found(child)
        return [value] if value is not None else []

    def public(self, module: ModuleValue) -> list[Value]:
        """The classes and functions that a module of the program makes available."""
        if module.module is None:
            return []
        frame = self._evaluator.modules.frame(module.module)
        names = [name for name in frame.layout.binds if name != "*" and "." not in name]
        for statement in star_imports(module.module.tree.body):
            for source in self.imported_module(statement, frame):
                if isinstance(source, ModuleValue) and source.module is not None:
                    names += [
                        name
                        for name in self._evaluator.modules.frame(source.module).layout.binds
                        if "." not in name and name != "*"
                    ]
        values = [value for name in sorted(set(names)) for value in self.exported(module, name)]
        return [value for value in values if isinstance(value, Class | Function)]


def star_imports(block: list[ast.stmt]) -> list[ast.ImportFrom]:
    """The ``from x import *`` of a module, also those in ``try`` and ``if``, last first."""
    found = []
    for statement in reversed(block):
        if isinstance(statement, ast.ImportFrom):
            if any(alias.name == "*" for alias in statement.names):
                found.append(statement)
        elif isinstance(statement, ast.If | ast.Try):
            found += star_imports(statement.body)
    return found


def _opened(value: Value, mark: object) -> Value:
    """A value after any number of rounds of a loop that changes it."""
    if isinstance(value, Items):
        return Items(value.kind, value.items, True)
    if isinstance(value, Table):
        return Table(value.items, True)
    return value if isinstance(value, Unknown) else Unknown(("rounds", mark))


def _load(target: ast.expr) -> ast.expr:
    """An assignment's target as an expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target
