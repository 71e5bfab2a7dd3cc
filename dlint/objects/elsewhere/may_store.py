"""Whether what a function does with an object it is given may store an attribute there, by its text alone."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.budget.budget import spend
from dlint.knowledge.callbacks import PLAIN_BUILTINS
from dlint.objects.elsewhere.called import Called, Definition
from dlint.objects.elsewhere.functions import Keeper, StoringFunctions
from dlint.regex import regex
from dlint.source.statements import FunctionNode, Scope, dotted, parameters
from dlint.values.frame import layout_of

if TYPE_CHECKING:
    from dlint.project.modules import Modules
    from dlint.source.layout import Layout
    from dlint.source.module import Module

# What stores attributes by names that nobody can read there.
_BY_NAME = regex(r"\bsetattr\(|\bvars\(|__dict__|\.update\(|\bnamespace\s*=")


class Followed(NamedTuple):
    """Calls whose functions plainly store an attribute of what they are given: the ids of the calls, and of
    the statements that these are, with the statements around them; and the lines from which on some may
    have been called ``otherwise``, in expressions that do more: where they stand, or a loop around them."""

    calls: frozenset[int]
    statements: frozenset[int]
    otherwise: tuple[int, ...]


_NOTHING = Followed(frozenset(), frozenset(), ())


class _Does(NamedTuple):
    """What a function stores by names that nobody can read there, in which attributes under which paths, and
    which of its names it keeps, under which attribute (None for an entry)."""

    by_name: bool
    attributes: frozenset[tuple[str, str | None]]
    keeps: frozenset[tuple[str, str | None]]

    def stores(self, name: str, attribute: str, apart: Container[str | None], kept: Container[str]) -> bool:
        """Whether it stores the attribute of something, but under the paths that stand ``apart``, or keeps
        what has a name where others store it: under one of the names that it is ``kept`` by there."""
        return (
            self.by_name
            or any(stored == attribute and path not in apart for stored, path in self.attributes)
            or any(held == name and (under is None or under in kept) for held, under in self.keeps)
        )


# What a call may give something to, and under which parameter.
_Taken = tuple[Definition, str]
# A call, and the statement that it is, or whose whole value it is.
_Handing = tuple[ast.stmt | None, ast.Call]
_NO_CALLS: list[_Handing] = []


class MayStore:
    """Answers for one program, each kept by the function, the path in it and the attribute."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._called = Called(modules)
        self._storing = StoringFunctions(modules, self._called.defining)
        self._known: dict[tuple[int, str, str], bool] = {}
        self._followed: dict[tuple[int, str, str], Followed] = {}
        self._handed: dict[int, dict[str | None, list[_Handing]]] = {}  # by the scope, and the path in it
        self._done: dict[int, _Does] = {}

    def kept(self, attribute: str) -> dict[str, frozenset[Keeper]]:
        """The names under which objects keep what the attribute is stored in, and who does that."""
        return self._storing.of(attribute).kept

    def through(self, function: FunctionNode, module: Module, name: str, attribute: str) -> bool:
        """Whether a function hands what it has under a name on to another that may store the attribute, keep
        it, or hand it on to one that does, in a way that nobody follows."""
        mark = (id(function), name, attribute)
        known = self._known.get(mark)
        if known is None:
            known = self._known[mark] = self._is_stored_beyond(function, module, name, attribute)
        return known

    def followed(self, scope: Scope, module: Module, path: str, attribute: str) -> Followed:
        """The calls of a scope that are statements, or what one assigns, and hand what it has under a path to
        functions that store the attribute in it, or hand it on in the same way."""
        mark = (id(scope), path, attribute)
        known = self._followed.get(mark)
        if known is None:
            known = self._followed[mark] = self._follow(scope, module, path, attribute)
        return known

    def _follow(self, scope: Scope, module: Module, path: str, attribute: str) -> Followed:
        calls: set[int] = set()
        statements: set[int] = set()
        otherwise: list[int] = []
        handing = self._handing(scope, path)
        if not handing:  # most, without a look at the files that store the attribute
            return _NOTHING
        layout = layout_of(scope)
        storers = self._storing.of(attribute.rpartition(".")[2])
        for statement, call in handing if storers.functions else ():
            if _called_as(call) not in storers.words:
                continue
            taken = self._taken(call, path, module, scope)
            if taken is None:
                otherwise.append(_first_line(call, layout))
            elif any((id(taker.node), parameter) in storers.functions for taker, parameter in taken):
                if statement is None:
                    otherwise.append(_first_line(call, layout))
                else:
                    calls.add(id(call))
                    statements.update(_around(statement, layout))
        if not calls and not otherwise:
            return _NOTHING
        return Followed(frozenset(calls), frozenset(statements), tuple(otherwise))

    def _is_stored_beyond(self, function: FunctionNode, module: Module, name: str, attribute: str) -> bool:
        last = attribute.rpartition(".")[2]
        seen: set[tuple[int, str]] = set()
        waiting = [(function, module, name)]
        while waiting:
            at, home, under = waiting.pop()
            if (id(at), under) in seen:
                continue
            seen.add((id(at), under))
            followed = self.followed(at, home, under, attribute).calls
            kept = self._storing.of(last).kept
            for _, call in self._handing(at, under):
                spend(1)
                taken = self._taken(call, under, home, at)
                if taken is None:
                    return True
                for taker, parameter in taken:
                    apart = {_on_own_object(call, taker, parameter, last)}
                    if id(call) in followed:
                        apart.add(f"{parameter}.{attribute}")
                    names = {
                        name
                        for name, held in kept.items()
                        if any(each.may_be_of(taker.made) for each in held)
                    }
                    if self._does(taker).stores(parameter, last, apart - {None}, names):
                        return True
                    waiting.append((taker.node, taker.module, parameter))
        return False

    def _handing(self, scope: Scope, path: str) -> list[_Handing]:
        """The calls of a scope that are given what it has under a path, and the statements that they are, or
        whose whole value they are."""
        found = self._handed.get(id(scope))
        if found is None:
            found = self._handed[id(scope)] = {}
            nodes = layout_of(scope).nodes
            whole = {id(each.value): each for each in nodes if isinstance(each, ast.Expr | ast.Assign)}
            for node in nodes:
                if isinstance(node, ast.Call):
                    for given in {dotted(each) for each in _given(node)} - {None}:
                        found.setdefault(given, []).append((whole.get(id(node)), node))
        return found.get(path, _NO_CALLS)

    def _taken(self, call: ast.Call, path: str, module: Module, scope: Scope) -> list[_Taken] | None:
        """The functions of the program that a call may give what has a path, with their text and under which
        parameter; None where nobody can tell what becomes of it."""
        places = [at for at, each in enumerate(call.args) if _is_path(each, path)]
        keywords = [each.arg for each in call.keywords if _is_path(each.value, path)]
        word = _called_as(call)
        if word is None or any(isinstance(each, ast.Starred) for each in call.args):
            return None
        if word in PLAIN_BUILTINS and isinstance(call.func, ast.Name):
            return []
        functions = self._called.by(call, module, scope)
        keeps = word == "setattr" or not word[:1].islower()  # an object of a library that keeps it
        if None in keywords or "namespace" in keywords or (not functions and keeps):
            return None
        return [
            (taker, each.arg)
            for taker in functions
            for at, each in enumerate(parameters(taker.node))
            if each.arg in keywords
            or (at in places and not _has_object(call, taker.node))
            # A method, or a constructor, has its object first.
            or (at - 1 in places and _may_be_method(call, taker.node))
        ]

    def _does(self, taker: Definition) -> _Does:
        known = self._done.get(id(taker.node))
        if known is None:
            attributes: set[tuple[str, str | None]] = set()
            keeps: set[tuple[str, str | None]] = set()
            for node in layout_of(taker.node).nodes:
                match node:
                    case ast.Attribute(attr=stored, ctx=ast.Store()):
                        attributes.add((stored, dotted(node)))
                    case ast.Assign(targets=targets, value=ast.Name(id=held)):
                        for target in targets:
                            if isinstance(target, ast.Attribute):
                                keeps.add((held, target.attr))
                            elif isinstance(target, ast.Subscript):
                                keeps.add((held, None))
            known = self._done[id(taker.node)] = _Does(
                stores_by_name(taker.text), frozenset(attributes), frozenset(keeps)
            )
        return known


def _first_line(call: ast.Call, layout: Layout) -> int:
    """The line of a call, or of the outermost loop whose rounds have it."""
    loops = [each for each in layout.nodes if isinstance(each, ast.For | ast.AsyncFor | ast.While)]
    around = [each.lineno for each in loops if each.body[0].lineno <= call.lineno <= (each.end_lineno or 0)]
    return min([call.lineno, *around])


def stores_by_name(text: str) -> bool:
    """Whether a function speaks of storing attributes by names that nobody can read there."""
    return _BY_NAME.search(text) is not None


def _around(statement: ast.stmt, layout: Layout) -> Iterator[int]:
    """The ids of a statement and of those around it in its scope."""
    at: ast.AST | None = statement
    while at is not None:
        yield id(at)
        place = layout.places.get(id(at))
        at = layout.try_of.get(id(at)) if place is None else place.owner


def _called_as(call: ast.Call) -> str | None:
    """The word that a call calls something by."""
    match call.func:
        case ast.Name(id=word) | ast.Attribute(attr=word):
            return word
    return None


def _given(call: ast.Call) -> list[ast.expr]:
    """What a call is given, what is unpacked there (``*(args,)``) among it."""
    unpacked = [
        part
        for each in call.args
        if isinstance(each, ast.Starred) and isinstance(each.value, ast.Tuple | ast.List)
        for part in each.value.elts
    ]
    return [*call.args, *unpacked, *(each.value for each in call.keywords)]


def _has_object(call: ast.Call, function: FunctionNode) -> bool:
    """Whether a call surely gives a constructor or a method its object, which is none of its arguments: not
    ``Base.__init__(self, args)``."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner)):
            return parameters(function)[0].arg == "self" and not owner[:1].isupper()
        case ast.Attribute():
            return parameters(function)[0].arg == "self"
    return function.name == "__init__"


def _may_be_method(call: ast.Call, function: FunctionNode) -> bool:
    return isinstance(call.func, ast.Attribute) or function.name == "__init__"


def _on_own_object(call: ast.Call, taker: Definition, parameter: str, attribute: str) -> str | None:
    """The path under which a constructor or a method stores an attribute of its own object, where that is
    another one than it is given as the parameter: ``self.device = args.device``."""
    own = parameters(taker.node)[0].arg
    return f"{own}.{attribute}" if own != parameter and _has_object(call, taker.node) else None


def _is_path(node: ast.expr, path: str) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and dotted(node) == path
