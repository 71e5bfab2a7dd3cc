"""Functions of the program that store an attribute of what they are given, as ``args.workers = 0`` does in
``def quick(args)``.

The search begins where the attribute is stored, which few files do, and goes up to those who hand on what
they were given: ``quick(args)`` in ``def setup(args)``, as far as one function alone is called so.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from dlint.budget.budget import spend
from dlint.source.statements import FunctionNode, call_of, dotted, parameters, self_name
from dlint.values.frame import layout_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dlint.project.modules import Modules


class Keeper(NamedTuple):
    """Who stores in what an object keeps: the id of a function, and its class where it is a method and the
    object its own."""

    function: int
    cls: ast.ClassDef | None

    def may_be_of(self, cls: ast.ClassDef | None) -> bool:
        """Whether the object may be of a class, as far as one file tells: of an heir whose bases nobody looks
        up here, too."""
        return self.cls is None or cls is None or self.cls is cls or bool(self.cls.bases)


class Storers(NamedTuple):
    """The functions that store an attribute of a parameter, each by its id and the parameter's name, and the
    words that they are called by; and the names under which objects keep what it is stored in, as of
    ``self.args.workers = 0``."""

    functions: frozenset[tuple[int, str]]
    words: frozenset[str]
    kept: dict[str, frozenset[Keeper]]


class StoringFunctions:
    """Answers for one program, kept by the attribute."""

    def __init__(self, modules: Modules, defining: Callable[[str], list[str]]) -> None:
        self._modules = modules
        self._known: dict[str, Storers] = {}
        self._defining = defining  # the files that define functions or classes of a name

    def of(self, attribute: str) -> Storers:
        """The functions that store an attribute of what they are given."""
        known = self._known.get(attribute)
        if known is None:
            known = self._known[attribute] = self._find(attribute)
        return known

    def _find(self, attribute: str) -> Storers:
        found: set[tuple[int, str]] = set()
        under: dict[str, list[tuple[FunctionNode, bool, str]]] = {}
        waiting: list[str] = []

        def add(trail: Sequence[ast.AST], name: str) -> None:
            taker = _taker(trail, name)
            if taker is None or (id(taker[1]), name) in found:
                return
            word, function, of_class = taker
            found.add((id(function), name))
            under.setdefault(word, []).append((function, of_class, name))
            # Of several nobody can tell by the word which one is called.
            if len(self._defining(word)) == 1:
                waiting.append(word)

        kept: dict[str, set[Keeper]] = {}
        for module in self._modules.each(self._modules.index.storing(attribute)):
            for trail in module.paths_to(attribute, stored=True):
                match trail[-1]:
                    case ast.Attribute(value=held, attr=stored, ctx=ast.Store()) if stored == attribute:
                        if isinstance(held, ast.Name):
                            add(trail, held.id)
                        for name, keeper in _kept_under(held, trail):
                            kept.setdefault(name, set()).add(keeper)
        while waiting:
            word = waiting.pop()
            for module in self._modules.each(self._modules.index.calling(word, "", method=True)):
                for trail in module.paths_to(word, called=True):
                    spend(1)
                    for name in self._handed(trail, under[word]):
                        add(trail, name)
        keepers = {name: frozenset(held) for name, held in kept.items()}
        return Storers(frozenset(found), frozenset(under), keepers)

    def _handed(self, trail: list[ast.AST], takers: list[tuple[FunctionNode, bool, str]]) -> list[str]:
        """The names of what a call that is a statement, or all that one assigns, gives to such functions."""
        call, to_callee = call_of(trail) or (None, trail)
        statement = to_callee[-3] if len(to_callee) > 2 else None
        if call is None or not isinstance(statement, ast.Expr | ast.Assign):
            return []
        found: list[str] = []
        for function, of_class, name in takers:
            names = [each.arg for each in parameters(function)]
            at = names.index(name)
            places = (at, at - 1) if of_class else (at,)
            given = [call.args[place] for place in places if 0 <= place < len(call.args)]
            given += [each.value for each in call.keywords if each.arg == name]
            found += [each.id for each in given if isinstance(each, ast.Name)]
        return found


def _taker(trail: Sequence[ast.AST], name: str) -> tuple[str, FunctionNode, bool] | None:
    """The innermost function around a node, by the word that calls it, where a name is a parameter of it
    (that of its object aside), and whether it is a method."""
    for at in range(len(trail) - 1, 0, -1):
        function = trail[at]
        if isinstance(function, ast.Lambda):
            return None
        if isinstance(function, FunctionNode):
            cls = trail[at - 1]
            own = [each.arg for each in parameters(function)]
            of_class = isinstance(cls, ast.ClassDef)
            if name not in own[1 if of_class else 0 :]:
                return None
            word = (
                cls.name if isinstance(cls, ast.ClassDef) and function.name == "__init__" else function.name
            )
            return word, function, of_class
    return None


def _kept_under(held: ast.expr, trail: Sequence[ast.AST]) -> Iterator[tuple[str, Keeper]]:
    """The attributes under which objects keep what is stored in, and who does it: ``args`` of
    ``self.args.workers = 0``, and of ``args = self.args`` before that."""
    at = max(at for at, each in enumerate(trail) if isinstance(each, FunctionNode | ast.Module))
    scope, cls = trail[at], trail[at - 1]
    assert isinstance(scope, FunctionNode | ast.Module)
    found = [held]
    if isinstance(held, ast.Name):
        found += [
            node.value
            for node in layout_of(scope).nodes
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == held.id for target in node.targets)
        ]
    own = self_name(scope) if isinstance(scope, FunctionNode) else None
    for each in found:
        if isinstance(each, ast.Attribute):
            root = (dotted(each) or "").partition(".")[0]
            is_own = isinstance(cls, ast.ClassDef) and root == own
            yield each.attr, Keeper(id(scope), cls if is_own else None)  # type: ignore[arg-type]
