"""Where a function stands: the scopes and the module around it, and what is known of what it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.fork.sendable import refused_part
from dlint.project.main_guards import is_guarded
from dlint.source.closures import bindings, bound_by, owner, reads
from dlint.source.nodes import walk
from dlint.source.settled import is_before
from dlint.source.statements import dotted, parameters
from dlint.values.values import Class, Const, External, Function, Made

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module

Hoisted = ast.Lambda | ast.FunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_RUNS_TEXT = frozenset({"eval", "exec"})
_LOOKS_AROUND = frozenset({"locals", "vars", "dir"})  # where they are given nothing
_OF_MODELS = frozenset({"cuda", "eval", "half", "load_state_dict", "parameters", "requires_grad_", "train"})


class Stays(Exception):
    """Why a function cannot move, and what to do about it by hand."""

    def __init__(
        self, why: str, cure: str = "define it at module level, and bind what it needs with functools.partial"
    ) -> None:
        super().__init__(f"{why}: {cure}")


class Around:
    """The surroundings of the function at the end of a trail that begins with its module's tree."""

    def __init__(self, program: Program, module: Module, trail: list[ast.AST], node: Hoisted) -> None:
        self._program = program
        self._module = module
        self._trail = trail
        self._node = node
        program.evaluator.start()  # else what has been asked before decides what is found here
        self._point = program.evaluator.sites.point_of(module, trail)

    def _outside(self) -> ast.AST:
        """The scope that the function stands in."""
        for index in range(len(self._trail) - 2, -1, -1):
            scope = self._trail[index]
            if isinstance(scope, ast.Module | ast.ClassDef):
                below = self._trail[index + 1]
                if isinstance(scope, ast.Module) or any(below is each for each in scope.body):
                    return scope
            if isinstance(scope, _FUNCTIONS):
                below = self._trail[index + 1]
                if below is scope.body or (
                    isinstance(scope.body, list) and any(below is s for s in scope.body)
                ):
                    return scope
        raise AssertionError("a trail begins with a module")

    def _is_receiver(self, name: str, scope: ast.AST) -> bool:
        if not isinstance(scope, ast.FunctionDef):
            return False
        at = next(i for i, each in enumerate(self._trail) if each is scope)
        first = [each.arg for each in parameters(scope)][:1]
        return isinstance(self._trail[at - 1], ast.ClassDef) and first == [name]

    # What it uses

    def _is_plain(self, name: ast.Name) -> bool:
        """Whether an object has its attributes from the command line, and nobody sets them by their names."""
        values = [value for value, _ in self._program.evaluator.values(name, self._point)]
        home = self._module.relative
        near = {home, *self._program.boundaries.imports(home)}
        return all(isinstance(value, Made) and "argparse" in value.name for value in values) and not any(
            relative in near for relative in self._program.modules.index.naming("setattr")
        )

    def _has_all_options(self, name: ast.Name) -> bool:
        """Whether an object, where it is what the command line gives, has every option each time: of those of
        subparsers, and of suppressed ones, only the given ones are there."""
        home = self._module.relative
        near = {home, *self._program.boundaries.imports(home)}
        index = self._program.modules.index
        if near.isdisjoint((*index.naming("add_subparsers"), *index.naming("SUPPRESS"))):
            return True
        return not any(
            isinstance(value, Made) and "argparse" in value.name
            for value, _ in self._program.evaluator.values(name, self._point)
        )

    def _is_model(self, name: str, scope: ast.AST) -> bool:
        """Whether a variable is treated as networks are: far too much to be sent to workers."""
        return any(
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr in _OF_MODELS
            and dotted(each.func.value) == name
            for each in walk(scope)
        )

    def _judge(self, expression: ast.expr, but: Hoisted | None = None) -> None:
        """Refuses what pickle cannot send; ``but`` is what is to give way to that."""
        for value, world in self._program.evaluator.values(expression, self._point):
            what = refused_part(self._program.evaluator, value, world, but)
            if what is not None:
                raise Stays(
                    f"it uses {ast.unparse(expression)}, which workers cannot be sent either ({what})"
                )

    def _may_be_copied(self) -> bool:
        """Whether a file that may get hold of the function copies objects with all they hold."""
        boundaries, home = self._program.boundaries, self._module.relative
        near = {other for each in (home, *boundaries.importers(home)) for other in boundaries.imports(each)}
        return not near.isdisjoint(self._program.modules.index.naming("deepcopy"))

    # Names of the module

    def _is_of_guard(self, name: str) -> bool:
        """Whether only the main guard binds a name of the module."""
        places = [each for each in bindings(self._module.tree) if each.name == name]
        return bool(places) and all(self._is_under_guard(each.trail) for each in places)

    def _is_under_guard(self, trail: Sequence[ast.AST]) -> bool:
        frame = self._program.evaluator.modules.frame(self._module)
        inner = [each for each in trail[1:] if isinstance(each, ast.stmt)]
        return bool(inner) and isinstance(inner[0], ast.If) and len(inner) > 1 and is_guarded(frame, inner[1])

    def _stands_under_guard(self) -> bool:
        return self._is_under_guard(self._trail) and isinstance(self._outside(), ast.Module)

    def _guarded_imports(self, name: str) -> list[tuple[str, str]]:
        """The modules that a name stands for, where nothing else is bound to it."""
        places = [each for each in bindings(self._module.tree) if each.name == name]
        found = [
            (each.node.name, each.node.asname or each.node.name)
            for each in places
            if isinstance(each.node, ast.alias) and isinstance(each.trail[-2], ast.Import)
        ]
        return found if len(found) == len(places) else []

    def _is_there_before(self, name: str) -> bool:
        """Whether the module (or Python) has a name by the time it comes to the statement around."""
        if owner(name, self._trail) is not None:
            return False
        places = [each for each in bindings(self._module.tree) if each.name == name]
        return not places or any(
            is_before(each.trail, self._trail) and not self._is_under_guard(each.trail) for each in places
        )

    def _is_imported(self, node: ast.expr) -> bool:
        """Whether an expression is something of a library that the module imports at its top."""
        path = dotted(node)
        root = path.partition(".")[0] if path else ""
        if not root or owner(root, self._trail) is not None or root not in bound_by(self._module.tree):
            return False
        places = [each for each in bindings(self._module.tree) if each.name == root]
        stored = self._program.modules.index.stored_elsewhere
        return (
            len(places) == 1
            and isinstance(places[0].node, ast.alias)
            and len(places[0].trail) == 3
            and not any(map(stored, (path or "").split(".")))
            and self._is_one_thing(node)
        )

    def _is_one_thing(self, node: ast.expr) -> bool:
        values = [value for value, _ in self._program.evaluator.values(node, self._point)]
        return len(values) == 1 and isinstance(values[0], External | Function | Class | Const)

    def _import_line(self, name: str, scope: ast.AST) -> str | None:
        """The import that gives a name to a function around, as a line of its own."""
        places = [each for each in bindings(scope) if each.name == name]
        lines = {
            ast.unparse(_alone(each.trail[-2], each.node)) if isinstance(each.node, ast.alias) else ""
            for each in places
        }
        if lines and lines != {""} and len(lines) > 1:
            raise Stays(f"{name} is not always the same import")
        return lines.pop() or None if lines else None

    def _down_to(self, scope: ast.AST) -> list[ast.AST]:
        """The trail as far as a scope."""
        return self._trail[: next(i for i, each in enumerate(self._trail) if each is scope) + 1]

    def _idle_import(self, name: str, scope: ast.AST) -> list[ast.stmt]:
        """The import that binds a name for the function alone, and nothing else."""
        places = [each for each in bindings(scope) if each.name == name]
        above = self._down_to(scope)
        inside = (any(step is self._node for step in each) for each in reads(name, scope, above))
        statement = places[0].trail[-2]
        if len(places) > 1 or not isinstance(statement, ast.Import | ast.ImportFrom) or not all(inside):
            return []
        return [statement] if len(statement.names) == 1 else []

    def _has_same_import(self, line: str) -> bool:
        for statement in self._module.tree.body:
            names = statement.names if isinstance(statement, ast.Import | ast.ImportFrom) else []
            if any(ast.unparse(_alone(statement, each)) == line for each in names):
                return True
        return False


def _alone(statement: ast.AST, alias: ast.alias) -> ast.Import | ast.ImportFrom:
    """The import of one thing alone."""
    if not isinstance(statement, ast.ImportFrom):
        return ast.Import([alias])
    return ast.ImportFrom(statement.module, [alias], statement.level)


def hands_on(node: Hoisted) -> bool:
    """Whether a lambda does nothing but call something with what it is given: that is to be given instead."""
    return (
        isinstance(node, ast.Lambda)
        and isinstance(node.body, ast.Call)
        and all(isinstance(each, ast.Name) for each in node.body.args)
        and not node.body.keywords
    )


def with_defaults(node: Hoisted) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that have defaults, with them."""
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    for parameter, default in zip(reversed(positional), reversed(spec.defaults), strict=False):
        yield parameter.arg, default
    for parameter, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if value is not None:
            yield parameter.arg, value


def fits(call: ast.Call, function: Hoisted) -> bool:
    """Whether a call gives a function no more than it takes."""
    names = {each.arg for each in function.args.args}
    splat = any(isinstance(each, ast.Starred) for each in call.args)
    return not splat and len(call.args) <= len(names) and {each.arg for each in call.keywords} <= names


def is_looked_through(scope: ast.AST) -> bool:
    """Whether something in a scope may see which names it has."""
    return any(isinstance(each, ast.Call) and sees_names(each) for each in walk(scope))


def sees_names(call: ast.Call) -> bool:
    """Whether a call may see which names the scope around has."""
    if not isinstance(call.func, ast.Name):
        return False
    return call.func.id in _RUNS_TEXT or (call.func.id in _LOOKS_AROUND and not call.args)
