"""Which functions of the program a call may be of, by the texts of files and what they import alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.source.statements import FunctionNode, dotted, functions_in, parameters

if TYPE_CHECKING:
    from dlint.project.modules import Modules
    from dlint.source.module import Module


class Definition(NamedTuple):
    """A function of the program: its module, and the class that it makes objects of."""

    module: Module
    node: FunctionNode
    made: ast.ClassDef | None

    @property
    def text(self) -> str:
        """The lines of the function."""
        return self.module.text_of(self.node)


class _Named(NamedTuple):
    """What a module has under a name: the functions, and the constructors of classes, that it defines at its
    top or in a function, or imports; and whether that is all it can be."""

    found: list[Definition]
    is_all: bool


class Called:
    """Answers for one program, each kept by the name and who uses it."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._everywhere: dict[str, list[Definition]] = {}
        self._named: dict[tuple[int, str], _Named] = {}
        self._classes: dict[tuple[int, str], list[tuple[Module, ast.ClassDef]]] = {}
        self._homes: dict[int, tuple[list[FunctionNode], ast.ClassDef | None]] = {}
        self._defining: dict[str, list[str]] = {}

    def by(self, call: ast.Call, module: Module, scope: ast.AST) -> list[Definition]:
        """The functions and methods that a call in a scope of a module may enter, and the constructors of
        what it makes. Of a name that somebody else gives, or a method of whatever it may be, all that are
        called so."""
        match call.func:
            case ast.Name(id=word):
                named = self._of_module(module, word)
                around, _ = self._home(module, scope)
                if named.is_all and not any(each.arg == word for one in around for each in parameters(one)):
                    return named.found
                return self._all(word)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=word):
                _, cls = self._home(module, scope)
                return self._all(word) if cls is None else self._of_bases(module, cls, word, set())
            case ast.Attribute(value=owner, attr="__init__"):
                path = dotted(owner)  # Base.__init__(self, args)
                classes = self._classes_named(module, path.rpartition(".")[2]) if path is not None else []
                found = [each for home, cls in classes for each in _of_class(home, cls, "__init__")]
                return found or self._all("__init__")
            case ast.Attribute(attr=word):
                return self._all(word)
        return []

    def defining(self, word: str) -> list[str]:
        """The files that define functions or classes of a name, once for each."""
        found = self._defining.get(word)
        if found is None:
            found = self._defining[word] = [
                each for each, many in self._modules.index.definitions(word) for _ in range(many)
            ]
        return found

    def _all(self, word: str) -> list[Definition]:
        """The program's functions and methods of a name, and the constructors of its classes."""
        found = self._everywhere.get(word)
        if found is None:
            found = self._everywhere[word] = []
            for module in self._modules.each(dict.fromkeys(self.defining(word))):
                found += self._defined(module, word, methods=True)
        return found

    def _defined(self, module: Module, word: str, *, methods: bool) -> list[Definition]:
        """The functions of a name in a module, and the constructors of its classes."""
        found: list[Definition] = []
        for trail in module.paths_to(word):
            node, above = trail[-1], trail[-2] if len(trail) > 1 else None
            owner = above if isinstance(above, ast.ClassDef) else None
            if isinstance(node, ast.ClassDef):
                if node.name == word:
                    own = _of_class(module, node, "__init__", made=node)
                    found += own or self._of_bases(module, node, "__init__", {id(node)})
            elif isinstance(node, FunctionNode) and node.name == word and (methods or owner is None):
                found.append(Definition(module, node, None))
        return found

    def _of_module(self, module: Module, word: str) -> _Named:
        mark = (id(module), word)
        known = self._named.get(mark)
        if known is None:
            self._named[mark] = _Named([], is_all=True)  # modules that import from each other
            known = self._named[mark] = self._find(module, word)
        return known

    def _find(self, module: Module, word: str) -> _Named:
        found = self._defined(module, word, methods=False)
        is_imported = False
        for trail in module.paths_to(word):
            match trail[-1], trail[-2]:
                case ast.alias(name=name, asname=other), ast.ImportFrom() as statement if word == (
                    other or name
                ):
                    is_imported = True
                    source = self._imported(statement, module)
                    if source is not None:
                        named = self._of_module(source, name)
                        found = found + (named.found if named.is_all and named.found else self._all(name))
                    elif statement.level:
                        found = found + self._all(name)
                case ast.Name(ctx=ast.Store() | ast.Del()), _:
                    return _Named([], is_all=False)
        return _Named(found, is_all=is_imported or bool(found))

    def _imported(self, statement: ast.ImportFrom, module: Module) -> Module | None:
        """The program's module that an import takes from."""
        imports = self._modules.imports
        if statement.level:
            place = imports.relative(statement.level, statement.module, module.relative)
        else:
            place = imports.absolute(statement.module or "", module.relative)
        return self._modules.get(place) if place is not None and place.endswith(".py") else None

    def _of_bases(self, module: Module, cls: ast.ClassDef, word: str, seen: set[int]) -> list[Definition]:
        """The methods of a name that the bases of a class have: each base's own, or what it has from its."""
        found: list[Definition] = []
        for base in cls.bases:
            path = dotted(base.value if isinstance(base, ast.Subscript) else base)
            if path is None:
                return self._all(word)
            for home, above in self._classes_named(module, path.rpartition(".")[2]):
                if id(above) not in seen:
                    seen.add(id(above))
                    own = _of_class(home, above, word)
                    found += own or self._of_bases(home, above, word, seen)
        return found

    def _classes_named(self, module: Module, word: str) -> list[tuple[Module, ast.ClassDef]]:
        """The classes that a module may mean by a name: those that it defines itself, or else all that are
        called so."""
        mark = (id(module), word)
        known = self._classes.get(mark)
        if known is None:
            known = [(module, each) for each in _classes(module, word)]
            if not known:
                others = self._modules.each(dict.fromkeys(self.defining(word)))
                known = [(other, each) for other in others for each in _classes(other, word)]
            self._classes[mark] = known
        return known

    def _home(self, module: Module, scope: ast.AST) -> tuple[list[FunctionNode], ast.ClassDef | None]:
        """The functions around a scope, itself among them, and the class that it is a method of."""
        known = self._homes.get(id(scope))
        if known is None:
            known = ([scope] if isinstance(scope, FunctionNode) else [], None)
            for trail in module.trails_at([scope.lineno]) if isinstance(scope, FunctionNode) else ():
                if trail[-1] is scope:
                    above = trail[-2]
                    known = (
                        [each for each in trail if isinstance(each, FunctionNode)],
                        above if isinstance(above, ast.ClassDef) else None,
                    )
            self._homes[id(scope)] = known
        return known


def _of_class(
    module: Module, cls: ast.ClassDef, word: str, made: ast.ClassDef | None = None
) -> list[Definition]:
    return [Definition(module, each, made) for each in functions_in(cls.body) if each.name == word]


def _classes(module: Module, word: str) -> Iterator[ast.ClassDef]:
    for trail in module.paths_to(word):
        if isinstance(trail[-1], ast.ClassDef) and trail[-1].name == word:
            yield trail[-1]
