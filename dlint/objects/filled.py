"""Dicts that other code fills: registries. What is put in them, and under which key.

``DATASETS[cls.__name__] = cls`` stands in a function that decorates classes all over a program, or that is
called for each of them. Such a function is found by its text; what it stores where is found by looking at it
with the class that it is given. No name of a registry, a decorator or a method is known here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from dlint.evaluation.questions import begun
from dlint.objects.registered import ANY, Registered
from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    blocks,
    dotted,
    functions_in,
    head_name,
    last_name,
    parameters,
)
from dlint.values.values import (
    Class,
    Home,
    Instance,
    Key,
    Table,
    Value,
)

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.source.module import Module

# `name[key] = value`, `name[kind][key] = value`, `name.setdefault(key, value)`, where the value is a name, or
# an object made with one (`Entry(value)`)
_KEYS = r"(?:\[[^\]\n]{0,300}\])"
_KEPT = r"(?:[A-Za-z_][\w.]*[ \t]*(?:#|\r?$)|(?:\w+\.)*[A-Z]\w*\()"
_STORES = rf"{_KEYS}+\s*(?::[^=\n]{{0,300}})?=[ \t]*{_KEPT}|{_KEYS}*\.(?:setdefault|__setitem__)\("
# What follows the name there, as texts: they are found much sooner than a pattern.
_STORING = ("[", ".setdefault(", ".__setitem__(")


class Filled:
    """What the program puts in the dicts that it fills from elsewhere."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._registered = Registered(evaluator)
        self._filled: dict[tuple[Key, str], bool] = {}
        # By the name of a function that stores in a dict which it is given: who defines it.
        self._takers: dict[str, list[Module]] = {}
        # By home: the keys that nobody has read, but which what is put there most likely has.
        self._guessed: dict[Key, set[object]] = {}
        # By what the code calls it, and of which class it is: by home, what is put there under which key.
        self._found: dict[tuple[str, Key], dict[Key, dict[object, Value]]] = {}

    def of_module(self, table: Table, module: Module, name: str) -> Table:
        """A dict that a module has under a name, with its home where other code may fill it."""
        if table.home is not None or not self._is_filled(module, name):
            return table
        return Table(table.items, table.open, Home(("of", module.relative, name), name))

    def of_attribute(self, table: Table, owner: Class | Instance, name: str) -> Table:
        """The same of a dict that an attribute of a class or an object holds."""
        cls = owner.cls if isinstance(owner, Instance) else owner
        if table.home is not None or not self.is_filled(cls, name):
            return table
        return Table(table.items, table.open, Home(("of", owner.key, name), name, cls))

    def of_object(self, instance: Instance) -> Table | None:
        """An object of the program that is itself a dict, as one."""
        if not any(name in _DICTS for name in self._evaluator.classes.libraries(instance.cls)):
            return None
        return Table({}, True, Home(("of", instance.key), "", instance.cls))

    def whole(self, table: Table) -> Table:
        """A dict with what other code puts in it."""
        home = table.home
        if home is None:
            return table
        kind = (home.word, home.cls.key if home.cls is not None else None)
        known = self._found.get(kind)
        entries = (self._put_there(home, kind) if known is None else known).get(home.mark, {})
        return Table({**entries, **table.items}, True)

    def guessed(self, table: Table) -> set[object]:
        """The keys of a dict with what other code puts in it that are only what this is called."""
        return self._guessed.get(table.home.mark, set()) if table.home is not None else set()

    def _put_there(self, home: Home, kind: tuple[str, Key]) -> dict[Key, dict[object, Value]]:
        found: dict[Key, dict[object, Value]] = {}
        with begun(self._found, kind, found):  # for whoever asks for it meanwhile
            names = self._names(home)
            statements = list(self._statements(home, names)) if names or home.cls is None else []
            sure = True
            for each in statements:
                find = partial(self._registered.by, *each, names)
                entries, whole = self._evaluator.apart(lambda: list(find()))  # noqa: B023
                sure = sure and whole
                for mark, key, value in entries:
                    if key is ANY:
                        key = _called(value)
                        if found.get(mark, {}).get(key, value).key != value.key:
                            key = value.key  # of several objects of one class
                        self._guessed.setdefault(mark, set()).add(key)
                    found.setdefault(mark, {})[key] = value
        if not sure:
            del self._found[kind]
        return found

    # By the text: who may store there

    def is_filled(self, cls: Class, name: str) -> bool:
        """Whether methods of a class store under keys of an attribute."""
        mark = (cls.key, name)
        known = self._filled.get(mark)
        if known is None:
            known = self._filled[mark] = bool(self._storing_methods(cls, name))
        return known

    def _is_filled(self, module: Module, name: str) -> bool:
        """Whether some text stores under keys of a module's dict elsewhere than at the module's top."""
        mark = (module.relative, name)
        known = self._filled.get(mark)
        if known is None:
            index = self._evaluator.modules.index
            word = rb"\b%b\b" % re.escape(name.encode())
            stores = _STORES.encode()
            inside = re.compile(rb"^[ \t]+(?:[\w.]+\.)?" + word + rb"(?:" + stores + rb")", re.MULTILINE)
            anywhere = re.compile(word + rb"(?:" + stores + rb")", re.MULTILINE)
            files = index.knowing(name, module.relative)
            known = self._filled[mark] = any(
                (inside if relative == module.relative else anywhere).search(index.data(relative))
                for relative in files
            ) or any(True for _ in self._given_to(name, files))
        return known

    def _given_to(self, name: str, files: Iterable[str]) -> Iterator[tuple[Module, str]]:
        """The functions that decorate classes, are given a dict by its name there (``@register(TRANSFORMS)``)
        and store in what they are given, in the files given."""
        decorates = re.compile(
            rb"^[ \t]*@(?:\w+\.)*(\w+)\([^\n]*\b%b\b" % re.escape(name.encode()), re.MULTILINE
        )
        index = self._evaluator.modules.index
        words = {word.decode() for relative in files for word in decorates.findall(index.data(relative))}
        for word in sorted(words):
            if word not in self._takers:
                self._takers[word] = [
                    module
                    for module in self._evaluator.modules.each(
                        [
                            each
                            for each in index.naming(word)
                            if b"def %b(" % word.encode() in index.data(each)
                        ]
                    )
                    if any(
                        function.name == word
                        and any(_keeps_what_it_is_given(function, each.arg) for each in parameters(function))
                        for function in _functions_of(module)
                    )
                ]
            yield from ((module, word) for module in self._takers[word])

    def _storing_methods(self, cls: Class, name: str) -> list[tuple[Class, str]]:
        """The methods of a class that store under keys of an attribute, or of the object itself (no name)."""
        path = f".{name}" if name else ""
        heads = [f"{root}{path}{sign}" for root in ("self", "cls", cls.name) for sign in _STORING]
        line = [
            above
            for above in self._evaluator.classes.line(cls)
            if any(head in above.module.text for head in heads)
        ]
        if not line:
            return []
        stores = re.compile(rf"\b(?:self|cls|{cls.name}){re.escape(path)}(?:{_STORES})", re.MULTILINE)
        return [
            (above, function.name)
            for above in line
            for function in functions_in(above.node.body)
            if function.name != "__init__"
            and stores.search(above.module.text_of(function))
            and _keeps_what_it_is_given(function, name)
        ]

    def _functions(self, home: Home) -> Iterator[tuple[Module, str]]:
        """The functions and methods that store there, with those around them, by name."""
        if home.cls is not None:
            for above, name in self._storing_methods(home.cls, home.word):
                yield above.module, name
        if home.word:
            stores = re.compile(rf"\b{re.escape(home.word)}(?:{_STORES})", re.MULTILINE)
            for module in self._evaluator.modules.naming(home.word):
                for each in _functions_of(module):
                    if stores.search(module.text_of(each)) and _keeps_what_it_is_given(each, home.word):
                        yield module, each.name
            yield from self._given_to(home.word, self._evaluator.modules.index.naming(home.word))

    def _names(self, home: Home) -> set[str]:
        """The names by which classes are put there: those of the functions that store, and of the functions
        of their files that call them."""
        names: set[str] = set()
        waiting = list(dict.fromkeys(self._functions(home)))
        while waiting:
            module, name = waiting.pop()
            if name in names:
                continue
            names.add(name)
            called = re.compile(rf"\b{re.escape(name)}\(")
            for function in _functions_of(module):
                if function.name != name and called.search(module.text_of(function)):
                    waiting.append((module, function.name))
        return names

    # By the values: who stores there

    def _statements(self, home: Home, names: set[str]) -> Iterator[tuple[Module, ast.stmt]]:
        """The statements at the top of files that may put something there."""
        modules = self._evaluator.modules
        index = modules.index
        for name in sorted(names):
            word = re.escape(name.encode())
            used = re.compile(rb"^[ \t]*@[\w.]*\b%b\b|^[ \t]*[\w.]*\b%b\(" % (word, word), re.MULTILINE)
            files = [relative for relative in index.naming(name) if used.search(index.data(relative))]
            for module in modules.each(files):
                for statement in _top(module.tree.body):
                    match statement:
                        case ast.ClassDef() | ast.FunctionDef():
                            heads = [head_name(each) for each in statement.decorator_list]
                            if name in heads:
                                yield module, statement
                        case ast.Expr(value=ast.Call() as call) if name in map(head_name, (call, call.func)):
                            yield module, statement
        if home.word:
            word = re.escape(home.word.encode())
            stores = re.compile(rb"^[ \t]*(?:[\w.]+\.)?%b(?:%b)" % (word, _STORES.encode()), re.MULTILINE)
            files = [each for each in index.naming(home.word) if stores.search(index.data(each))]
            for module in modules.each(files):
                for statement in _top(module.tree.body):
                    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
                        yield module, statement
        if "__init_subclass__" in names:
            heirs = {heir.key: heir for cls in self._told_of_heirs(home) for heir in self._heirs(cls)}
            for heir in heirs.values():
                if heir.frame.outer is None:  # what a function defines, nobody finds by a name
                    yield heir.module, heir.node

    def _told_of_heirs(self, home: Home) -> Iterator[Class]:
        """The classes that may put there what is derived from them: the one that keeps the dict, and those
        whose ``__init_subclass__`` speaks of it."""
        if home.cls is not None:
            yield home.cls
        stores = re.compile(rf"\b{re.escape(home.word)}(?:{_STORES})", re.MULTILINE)
        for module in self._evaluator.modules.naming(home.word) if home.word else ():
            for node in _top(module.tree.body) if "__init_subclass__" in module.text else ():
                if isinstance(node, ast.ClassDef) and any(
                    each.name == "__init_subclass__" and stores.search(module.text_of(each))
                    for each in functions_in(node.body)
                ):
                    yield Class(node, self._evaluator.modules.frame(module))

    def _heirs(self, cls: Class) -> list[Class]:
        found: dict[Key, Class] = {}
        waiting = [cls]
        while waiting:
            for below in self._evaluator.classes.subclasses(waiting.pop()):
                if below.key not in found:
                    found[below.key] = below
                    waiting.append(below)
        return list(found.values())


_DICTS = frozenset(
    {"builtins.dict", "collections.UserDict", "collections.OrderedDict", "collections.defaultdict"}
)


def _top(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, definitions as one."""
    for statement in block:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            for _, inner, _ in blocks(statement):
                yield from _top(inner)


def _functions_of(module: Module) -> Iterator[ast.FunctionDef]:
    """The functions of a module, the methods of its classes, and the functions inside them."""
    for statement in _top(module.tree.body):
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            for node in walk(statement):
                if isinstance(node, ast.FunctionDef):
                    yield node


def _keeps_what_it_is_given(function: FunctionNode, word: str) -> bool:
    """Whether a function, or one in it, stores one of its parameters in what is called so: as registries do,
    and a cache or a table of numbers does not."""
    taken = {
        each.arg
        for node in walk(function)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for each in parameters(node)
    }
    for node in walk(function):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=where, slice=key)], value=stored):
                if _has_one_of(stored, taken, key) and _is_called(where, word):
                    return True
            case ast.Call(
                func=ast.Attribute(value=where, attr="setdefault" | "__setitem__"), args=[key, stored]
            ):
                if _has_one_of(stored, taken, key) and _is_called(where, word):
                    return True
    return False


def _has_one_of(stored: ast.expr, taken: set[str], key: ast.expr) -> bool:
    """Whether what is stored is one of some parameters, or an object made with one that is not the key."""
    match stored:
        case ast.Name(id=name):
            return name in taken
        case ast.Call(args=given, keywords=named) if head_name(stored)[:1].isupper():
            whole = [*given, *(each.value for each in named)]
            return any(
                isinstance(each, ast.Name) and each.id in taken and each.id != dotted(key) for each in whole
            )
    return False


def _is_called(node: ast.expr, word: str) -> bool:
    """Whether a dict, or one in it, goes by a name; every object does that is one itself."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return not word or last_name(node) == word


def _called(value: Value) -> object:
    """What a class or function is called, as the key that it most likely has."""
    node = value.cls.node if isinstance(value, Instance) else getattr(value, "node", None)
    return getattr(node, "name", ANY)
