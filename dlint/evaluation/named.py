"""What is found by a name: modules that are imported by one, what a module has under one, and what a
configuration names.

A name that is known means what it says. Of one whose beginning or end is known, what fits is possible; of one
that is not known at all, what the module has, and where the module is not known either, the classes and
functions that the program's own configuration names.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.configured import Configured
from dlint.knowledge.names import ONLY_KINDS
from dlint.knowledge.words.reflection import IMPORTS
from dlint.source.nodes import walk
from dlint.source.statements import functions_in
from dlint.values.frame import Point
from dlint.values.outcomes import OUTCOMES, Outcome, told_apart
from dlint.values.values import (
    Class,
    Const,
    Function,
    Instance,
    Key,
    Made,
    ModuleValue,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_MOST = 24
# Classes of libraries that call no method of a class below them but the special ones.
_CALL_NOTHING = ONLY_KINDS | {"torch.utils.data.Dataset"}


class Named:
    """Questions about what names mean that are made at run time."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._configured: dict[str, list[Value]] = {}
        self._spoken_of: dict[tuple[str, int], bool] = {}
        self.configured = Configured(evaluator)

    # Modules

    def imported(self, name: Value, package: Value, point: Point, world: World) -> list[Outcome]:
        """What importing a module by its name gives; empty where nothing is known of the name. A name that
        begins with a dot counts from ``package``, or from the importing module's own where that is unknown.
        """
        importer = point.frame.module.relative
        within = package.value if isinstance(package, Const) and isinstance(package.value, str) else ""
        if isinstance(name, Const) and isinstance(name.value, str):
            path = within + name.value if name.value.startswith(".") else name.value
            return [(self._module(path, importer), world)]
        begin, end = (name.text if isinstance(name, Unknown) else None) or ("", "")
        begin = within + begin if begin.startswith(".") else begin
        above, dot, begin = begin.rpartition(".")
        if not dot:
            return []
        home = self._module(above or ".", importer)
        if not isinstance(home, ModuleValue):
            return []
        found: list[Outcome] = [
            (value, world)
            for stem in self._evaluator.modules.imports.children(home.folder or "")
            if fits(stem, begin, end)
            for value, _ in self._evaluator.namespaces.exported(home, stem)[:1]
            if isinstance(value, ModuleValue)
        ]
        unknown: Outcome = (Unknown(("module", name.key)), world)
        return told_apart([*found[:_MOST], unknown], ("imported", name.key)) if found else []

    def _module(self, name: str, importer: str) -> Value:
        namespaces = self._evaluator.namespaces
        if not name.startswith("."):
            return namespaces.module_named(name, importer)
        rest = name.lstrip(".")
        return namespaces.module_around(len(name) - len(rest), rest or None, importer)

    # What a module has

    def member(self, base: Value, name: Value, world: World) -> list[Outcome]:
        """``getattr(base, name)`` where the name is not one that is known: something that a module has, or
        that the configuration names where the module is not known."""
        if isinstance(base, ModuleValue):
            begin, end = (name.text if isinstance(name, Unknown) else None) or ("", "")
            found: list[Outcome] = []
            different: set[Key] = set()
            for called, value in self._evaluator.namespaces.public(base):
                if fits(called, begin, end):
                    different.add(value.key)
                    if len(different) > OUTCOMES:
                        found.append((value, world))
                        break  # the last of them stands for all others
                    # Whoever tests the name tells which of them it is.
                    same = self._evaluator.truths.same(name, Const(called), world)
                    found += [(value, w) for result, w in same if result]
            return told_apart(found, ("named", base.key, name.key))
        if isinstance(base, Made) and base.name in IMPORTS:
            return self._any(("named", base.key, name.key), base, base.point, world)
        return []

    def method(self, base: Instance, name: Value, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """What ``getattr(self, config.name)(config)`` calls, where the name is not one that is known: the
        methods of the object's class that take what this call passes and that nothing else calls, as neither
        the program names them nor a library may; of a name whose beginning or end is known what fits, called
        there or later (``make = getattr(self, f"make_{kind}")``)."""
        call = _call_of(node, point.statement)
        begin, end = (name.text if isinstance(name, Unknown) else None) or ("", "")
        classes = self._evaluator.classes
        by_arguments = (
            call is not None
            and bool(call.args or call.keywords)
            and classes.libraries(base.cls) <= _CALL_NOTHING
        )
        if not (begin or end or by_arguments):
            return []
        line = classes.line(base.cls)
        names = dict.fromkeys(each.name for cls in line for each in functions_in(cls.node.body))
        found: list[Outcome] = []
        for each in names:
            if (each.startswith("_") and not begin.startswith("_")) or not fits(each, begin, end):
                continue
            for function in classes.methods(base, each):
                scope = function.node
                if not isinstance(scope, ast.FunctionDef) or scope.decorator_list:
                    continue
                if call is not None and not _takes(scope, call):
                    continue
                if begin or end or not self._is_named(each, scope):
                    found.append((function, world))
        return told_apart(found[:_MOST], ("named", base.key, name.key))

    def _is_named(self, name: str, scope: ast.FunctionDef) -> bool:
        """Whether the program speaks of a method by its name, but for what it does itself."""
        mark = (name, id(scope))
        if mark not in self._spoken_of:
            self._spoken_of[mark] = any(
                isinstance(trail[-1], ast.Attribute) and not any(each is scope for each in trail)
                for module in self._evaluator.modules.naming(name)
                for trail in module.paths_to(name)
            )
        return self._spoken_of[mark]

    def all_of(self, module: ModuleValue) -> Table:
        """The classes and functions that a module has, as the dict of its names; classes first."""
        found = sorted(
            self._evaluator.namespaces.public(module), key=lambda each: not isinstance(each[1], Class)
        )
        return Table(dict(found), True)

    def evaluated(self, text: Value, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """``eval("Name")`` and ``eval("package." + name)``: read, never run."""
        if isinstance(text, Const):
            expression = _parsed(text.value)
            return self._evaluator.values(expression, point, world) if expression is not None else []
        begin, end = (text.text if isinstance(text, Unknown) else None) or ("", "")
        path, dot, begin = begin.rpartition(".")
        if dot:
            home = _parsed(path)
            owners = self._evaluator.values(home, point, world) if home is not None else []
        else:
            owners = [(ModuleValue(point.frame.module, None), world)]
        found: list[Outcome] = [
            (value, v)
            for owner, w in owners
            if isinstance(owner, ModuleValue)
            for name, value in self._evaluator.namespaces.public(owner)
            if fits(name, begin, end) and (dot or isinstance(value, Class))
            for result, v in self._evaluator.truths.same(text, Const(f"{path}{dot}{name}"), w)
            if result
        ]
        return found if dot else [*found[:_MOST], (Unknown(("eval", id(node), point.key)), world)]

    # What the configuration names

    def located(self, made: Made, point: Point, world: World) -> list[Outcome]:
        """What a call gives that finds a class or function by its path: ``pydoc.locate(path)``."""
        path = made.arguments.positional[:1]
        found: list[Outcome] = []
        for name, w in self._evaluator.value_of(path[0], world) if path else ():
            if isinstance(name, Const) and isinstance(name.value, str):
                found += [(value, w) for value in self.of_path(name.value, point)] or [(made, w)]
            else:
                found += self._any(("located", made.key, name.key), made, point, w)
        return found or [(made, world)]

    def instantiated(self, made: Made, point: Point, world: World) -> list[Outcome]:
        """What a call makes that is told the class in a configuration: ``instantiate(cfg.dataset)``."""
        told = made.arguments.positional[:1]
        found: list[Outcome] = []
        for table, w in self._evaluator.value_of(told[0], world) if told else ():
            of_it = self.configured.of_value(table, made, point, w)
            if of_it:
                found += of_it
                continue
            given = made.arguments.keywords
            known = [
                outcome
                for making in self.configured.under(told[0], w)
                for outcome in self.configured.made(making, given, made.node, point, w)
            ]
            if known:
                mark = ("instantiated", made.key, table.key)
                found += told_apart([*known, (made, w)], mark)
            else:
                for value, v in self._any(("instantiated", made.key, table.key), made, point, w):
                    is_class = isinstance(value, Class)
                    found.append((Instance(value, None, made.node, point.key) if is_class else value, v))  # type: ignore[arg-type]
        return found or [(made, world)]

    def _any(self, mark: object, otherwise: Value, point: Point, world: World) -> list[Outcome]:
        """Any of the classes and functions that the configuration names, or something else."""
        importer = point.frame.module.relative
        known = self._configured.get(importer)
        if known is None:
            index = self._evaluator.modules.index
            found = [value for path in index.configured for value in self.of_path(path, point)]
            known = list({value.key: value for value in found}.values())
            self._configured[importer] = known = sorted(known, key=lambda each: not isinstance(each, Class))
        return told_apart([(value, world) for value in (*known[:_MOST], otherwise)], mark)

    def of_path(self, path: str, point: Point) -> list[Value]:
        """The class or function of the program at a dotted path."""
        module, _, name = path.rpartition(".")
        home = self._module(module, point.frame.module.relative) if module else None
        if not isinstance(home, ModuleValue):
            return []
        return [
            value
            for value, _ in self._evaluator.namespaces.exported(home, name)
            if isinstance(value, Class | Function)
        ]


def _call_of(node: ast.AST, statement: ast.stmt | None) -> ast.Call | None:
    """The call of what an expression gives, in the statement where it stands."""
    for each in walk(statement) if statement is not None else ():
        if isinstance(each, ast.Call) and each.func is node:
            return each
    return None


def _takes(scope: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether a method can be called with what a call writes out."""
    spec = scope.args
    names = [each.arg for each in [*spec.posonlyargs, *spec.args]][1:]
    keywords = {keyword.arg for keyword in call.keywords}
    if None in keywords or any(isinstance(each, ast.Starred) for each in call.args):
        return False
    if len(call.args) > len(names) and spec.vararg is None:
        return False
    only = {each.arg for each in spec.kwonlyargs}
    if spec.kwarg is None and not keywords <= {*names[len(call.args) :], *only}:
        return False
    wanted = names[len(call.args) : len(names) - len(spec.defaults)]
    return keywords.issuperset(wanted)


def fits(name: str, begin: str, end: str) -> bool:
    """Whether a name may be one of which a beginning and an end are known."""
    return len(name) >= len(begin) + len(end) and name.startswith(begin) and name.endswith(end)


def _parsed(text: object) -> ast.expr | None:
    """An expression that stands in a string."""
    try:
        return ast.parse(text, mode="eval").body if isinstance(text, str) else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
