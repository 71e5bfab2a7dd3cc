"""What other code changes of what a module or a class has under its names, once it has run:
``CONFIG["workers"] = 4`` in a function, ``config.workers = 4`` elsewhere, ``cls.workers = 4`` in a method.

Which comes first, such code or who reads the name, is not known. A setting is not what it begins with where
some code sets it: somebody calls that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.evaluation.questions import begun
from dlint.knowledge.testing import is_test
from dlint.regex import regex
from dlint.source.statements import (
    FunctionNode,
    changed_names,
    dotted,
    innermost_statement,
    own_names,
    parameters,
    statements_in,
    steps,
)
from dlint.values.frame import Frame, Point
from dlint.values.values import (
    Class,
    Const,
    Function,
    Instance,
    Items,
    Key,
    ModuleValue,
    Table,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlint.objects.elsewhere.stores import Outside
    from dlint.objects.interface import Evaluator
    from dlint.source.module import Module

_CHANGES = rb"\s*(?:\[|\.(?:update|setdefault|pop|clear)\()"
# What sets names of a module that it is given.
_BY_ANY_NAME = regex(r"\bglobals\(\)\s*(?:\[[^\]\n]{0,300}\]\s*=(?!=)|\.update\()")
_SETS_OWN = regex(r"\bsetattr\(\s*cls\b")
_MOST = 4
_OWN = ("self", "cls")
# ``setattr(options, name, value)``: what it stores into may be anything's, and what under nobody has written.
_SETS_BY_NAME = regex(rb"\bsetattr\s*\(\s*(?!(?:self|cls)\b)\w+\s*,\s*[^\s'\"]|\bsetattr\s*\(\s*#")
# A key that is not written out.
_ANY = ...


class ChangedLater:
    """The answers for one program."""

    def __init__(self, evaluator: Evaluator, outside: Outside) -> None:
        self._evaluator = evaluator
        self._outside = outside
        self._on_class: dict[tuple[Key, str], bool | None] = {}
        # The classes, by id of their node, whose objects get attributes from outside by names that vary.
        self._by_name: set[int] | None = None
        self._is_naming = False

    def of_module(self, values: list[Value], name: str, frame: Frame) -> list[Value]:
        """What a module's name may stand for in the end, of what the module has left there."""
        mark = ("changed later", frame.module.relative, name)
        if any(isinstance(value, Const) and value.value is not None for value in values):
            if "globals()" in frame.module.text and frame.module.says(_BY_ANY_NAME):
                return [Unknown(mark) if isinstance(value, Const) else value for value in values]
            stored = list({value.key: value for value in self._stored(name, frame.module)}.values())
            if stored:
                kept = [value for value in values if not isinstance(value, Const)]
                return [*kept, *stored[:_MOST], Unknown(mark)]
        found: list[Value] = []
        for value in values:
            settings = isinstance(value, Table) and any(
                isinstance(held, Const | Table | Items) for held in value.items.values()
            )
            found += self._tables(value, name, frame, mark) if settings else [value]  # type: ignore[arg-type]
        return found

    def is_set_on_class(self, cls: Class, name: str) -> bool:
        """Whether some code sets an attribute of a class, or of objects that have it from there, once it is
        made: from outside (``Settings.workers = 0``), in a method of the class, in a decorator, or by a name
        that it is given (``setattr(settings, name, value)``)."""
        mark = (cls.key, name)
        if mark not in self._on_class:
            with begun(self._on_class, mark, None):
                self._on_class[mark] = self._is_set(cls, name)
        known = self._on_class[mark]
        if known is None or self._is_naming:
            self._evaluator.cut()
        if self._is_naming and known is not None:
            del self._on_class[mark]  # not all that may set it was known
        return bool(known)

    def _is_set(self, cls: Class, name: str) -> bool:
        stored = f"cls.{name}"
        for above in self._evaluator.classes.line(cls):
            if self._evaluator.modules.index.stores_in(above.name, name):
                return True
            # Texts are found much sooner than a pattern.
            text = above.module.text_of(above.node)
            if (stored in text and re.search(rf"\b{re.escape(stored)}\s*=(?!=)", text)) or (
                "setattr(" in text and _SETS_OWN.search(text)
            ):
                return True
            if id(above.node) in self._named_later():
                return True
            for decorator in above.node.decorator_list:
                for value, _ in self._evaluator.values(decorator, Point(above.frame, None)):
                    if isinstance(value, Function) and _sets(value, name):
                        return True
        return False

    def _named_later(self) -> set[int]:
        if self._by_name is None and not self._is_naming:
            self._is_naming = True
            try:
                self._by_name = set(self._classes_named())
            finally:
                self._is_naming = False
        return self._by_name or set()

    def _classes_named(self) -> Iterator[int]:
        modules = self._evaluator.modules
        files = (
            relative
            for relative in modules.index.naming("setattr")
            if not is_test(relative) and _SETS_BY_NAME.search(modules.index.data(relative))
        )
        for module in modules.each(files):
            for trail in module.paths_to("setattr", called=True):
                match trail[-2]:
                    case ast.Call(args=[ast.Name(id=holder) as held, name, _]) if holder not in _OWN:
                        if isinstance(name, ast.Constant):
                            continue  # those are stores like others
                        point = self._evaluator.sites.point_of(module, trail)
                        for value, _ in self._evaluator.values(held, point):
                            if isinstance(value, Instance):
                                yield id(value.cls.node)

    def _stored(self, name: str, module: Module) -> Iterator[Value]:
        """What other code stores in an attribute of a module."""
        index = self._evaluator.modules.index
        if not any(index.reaches(relative, module.relative) for relative in index.storing(name)):
            return
        for store in self._outside.stores(name):
            for holder, _ in self._evaluator.values(store.target.value, store.point):
                if isinstance(holder, ModuleValue) and holder.module is module:
                    given = (
                        self._evaluator.values(store.value, store.point) if store.value is not None else []
                    )
                    yield from (value for value, _ in given)
                    yield Unknown(("stored later", id(store.target)))

    def _tables(self, table: Table, name: str, frame: Frame, mark: Key) -> list[Value]:
        """A dict with what functions change in it."""
        changes = list(self._changes(name, frame))
        if not changes:
            return [table]
        keys = {key for key, _, _ in changes}
        items = {
            at: Unknown((mark, at)) if (at in keys or _ANY in keys) and _is_setting(held) else held
            for at, held in table.items.items()
        }
        found: list[Value] = [Table(items, True, table.home)]
        for key, node, point in changes:
            if key is _ANY or node is None:
                continue
            for value, _ in self._evaluator.values(node, point)[:1]:
                if isinstance(value, Const) and len(found) <= _MOST:
                    found.append(Table({**items, key: value}, True, table.home))
        return found

    def _changes(self, name: str, frame: Frame) -> Iterator[tuple[object, ast.expr | None, Point]]:
        """The entries that functions, and other modules, change of a module's dict: the key, what is stored
        there, and where."""
        index = self._evaluator.modules.index
        word = re.compile(rb"\b%b" % re.escape(name.encode()) + _CHANGES)
        home = frame.module.relative
        for relative in index.knowing(name, home):
            module = self._evaluator.modules.get(relative) if word.search(index.data(relative)) else None
            for trail in module.paths_to(name) if module is not None else ():
                node = trail[-1]
                statement = innermost_statement(trail)
                if not isinstance(node, ast.Name | ast.Attribute) or statement is None:
                    continue
                if dotted(node) not in changed_names(statement):
                    continue
                assert module is not None
                point = self._evaluator.sites.point_of(module, trail)
                if isinstance(node, ast.Name) and not self._is_of_module(node.id, point, relative == home):
                    continue
                yield from ((key, given, point) for key, given in _entries(statement, dotted(node) or ""))

    def _is_of_module(self, name: str, point: Point, at_home: bool) -> bool:
        """Whether a name means what the module has under it, and no variable of a function."""
        scope = point.frame.scope
        if not isinstance(scope, FunctionNode):
            return not at_home  # what the module's body does has been followed
        if any(each.arg == name for each in parameters(scope)):
            return False
        return not any(name in own_names(statement) for statement in statements_in(scope.body))


def _sets(decorator: Function, name: str) -> bool:
    """Whether a decorator sets an attribute of what it is given."""
    text = decorator.module.text_of(decorator.node)
    return re.search(rf"\w\.{re.escape(name)}\s*=(?!=)|\bsetattr\(", text) is not None


def _is_setting(value: Value) -> bool:
    return isinstance(value, Const | Table | Items)


def _entries(statement: ast.stmt, path: str) -> Iterator[tuple[object, ast.expr | None]]:
    """The keys under which a statement changes a dict, and what it stores there."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                root, keys = steps(target)
                if keys and dotted(root) == path:
                    yield _written(keys[0]), value if len(keys) == 1 else None
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=method)) as call):
            root, keys = steps(held)
            if keys:
                yield _written(keys[0]), None
            elif method == "update" and not call.args and all(each.arg for each in call.keywords):
                yield from ((each.arg, each.value) for each in call.keywords)
            elif method in ("pop", "setdefault") and call.args:
                yield _written(call.args[0]), None
            else:
                yield _ANY, None
        case _:
            yield _ANY, None


def _written(key: ast.expr | None) -> object:
    return key.value if isinstance(key, ast.Constant) else _ANY
