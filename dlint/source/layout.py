"""The layout of one scope: which statement stands where, and which names each statement may bind.

A *scope* is a module, a function, a lambda or a class body. Names here are plain (``x``) or dotted
(``args.distributed``, ``self.pool``): a store to an attribute binds the dotted path. A call that changes a
container in place (``kwargs.update(...)``) and a subscript store (``kwargs["x"] = 1``) bind the container,
and so does a call that is given a dict which the scope writes out (``fill(kwargs)``).
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple, TypeAlias

from dlint.source.nodes import children, walk
from dlint.source.statements import (
    CHANGING,
    Scope,
    blocks,
    changed_names,
    dotted,
    ends,
    own_names,
    statements_in,
    steps,
    target_names,
)

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_PARTS = frozenset({ast.Name, ast.Subscript, ast.Call})
_IMPORTS = frozenset({ast.Import, ast.ImportFrom})
_CALLING = frozenset({ast.Expr, ast.Assign})
_DICTS = frozenset({ast.Dict, ast.DictComp})
_MAKES_DICTS = frozenset({"OrderedDict", "copy", "deepcopy", "defaultdict", "dict"})


class Place(NamedTuple):
    """Where a statement stands: the block that holds it, where it is in it, and the block's owner.

    ``role`` names the owner's block: body, orelse, finalbody, handler or case; the owner is None for the
    outermost block of the scope.
    """

    owner: ast.stmt | ast.ExceptHandler | ast.match_case | None
    block: list[ast.stmt]
    at: int
    role: str


class Guard(NamedTuple):
    """A statement of a block, at an index, that control comes past only where its test is as wanted."""

    at: int
    test: ast.expr
    wanted: bool
    statement: ast.stmt


class Leaving(NamedTuple):
    """The statements in a loop's body that end its round: those that leave the loop, and those that go on
    with the next round."""

    breaks: list[ast.stmt]
    continues: list[ast.stmt]


# A name that is looked for from a statement (0: the end), whether only what binds it anew counts, and which
# statements bind it otherwise.
Reached: TypeAlias = tuple[str, int, bool, frozenset[int]]


class Layout:
    """Places and bound names of one scope, without the scopes inside it.

    ``binds`` are all names that the scope binds or changes; ``changes`` those among them that some
    statement only changes in place, and ``imports`` those that an import binds.
    """

    __slots__ = (
        "_aliases",
        "_binders",
        "_binding",
        "_bound",
        "_calls",
        "_dicts",
        "_guards",
        "_leaving",
        "_nodes",
        "_reads",
        "_rebound",
        "_roots",
        "_statements",
        "aliased",
        "answers",
        "binds",
        "body",
        "changes",
        "guarding",
        "handed",
        "imports",
        "places",
        "reached_by",
        "try_of",
    )

    def __init__(self, scope: Scope) -> None:
        self._nodes: tuple[ast.AST, ...] | None = None
        self._statements: tuple[ast.stmt, ...] | None = None
        self._binders: dict[str, list[ast.stmt]] | None = None
        # What those who look through the scope's text keep of what they found there, whoever calls it.
        self.answers: dict[object, Any] = {}
        self._reads: dict[str, dict[str, ast.AST]] | None = None
        self._roots: list[ast.AST] = [scope.body] if isinstance(scope, ast.Lambda) else [*scope.body]
        self.body: list[ast.stmt] = [] if isinstance(scope, ast.Lambda) else scope.body
        self.places: dict[int, Place] = {}
        # Handlers and cases are no statements: which statement holds them.
        self.try_of: dict[int, ast.stmt] = {}
        # By statement, with all that is inside it: the names it may bind or change, and may bind anew.
        self._bound: dict[int, frozenset[str]] = {}
        self._rebound: dict[int, frozenset[str]] = {}
        self._binding: dict[tuple[int, bool], dict[str, list[int]]] = {}
        self._guards: dict[int, list[Guard]] = {}
        self._leaving: dict[int, Leaving] = {}
        self._calls: dict[str, list[tuple[ast.Call, ast.stmt]]] = {}
        # What the flow has found that is the same in all frames of the scope: see there.
        self.guarding: dict[int, tuple[Guard, ...]] = {}
        self.reached_by: dict[Reached, tuple[ast.stmt | None, ...] | None] = {}
        # Names for parts of what other names hold, and by statement the names of which it changes a part so.
        self._aliases = _aliases(self.body)
        self.aliased: dict[int, set[str]] = {}
        # Names of dicts that the scope writes out, and by statement those that it hands to what it calls.
        self._dicts = _dicts(self.body)
        self.handed: dict[int, set[str]] = {}
        changes: set[str] = set()
        self.imports: set[str] = set()
        self.binds: frozenset[str] = self._read(self.body, None, "body", changes)[0]
        self.changes = frozenset(changes)

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the scope, outer ones first, those of scopes inside it left aside."""
        if self._nodes is None:
            found: list[ast.AST] = [*self._roots]
            for node in found:  # grows meanwhile
                if not isinstance(node, _SCOPES):
                    found += children(node)
            self._nodes = tuple(found)
        return self._nodes

    @property
    def statements(self) -> tuple[ast.stmt, ...]:
        """All statements of the scope, in order."""
        if self._statements is None:
            self._statements = tuple(statements_in(self.body))
        return self._statements

    def binders(self, name: str) -> list[ast.stmt]:
        """The statements of the scope that bind a name themselves, in order: many questions ask it of one
        scope."""
        if self._binders is None:
            self._binders = {}
            for statement in self.statements:
                for bound in dict.fromkeys(own_names(statement)):
                    self._binders.setdefault(bound, []).append(statement)
        return self._binders.get(name, [])

    @property
    def reads(self) -> dict[str, dict[str, ast.AST]]:
        """The attributes that the scope reads of what goes by a name, each with the first place where it
        does; what a lambda in it reads, the scope reads."""
        if self._reads is None:
            self._reads = {}
            nodes = [*self.nodes]
            for node in self.nodes:
                if isinstance(node, ast.Lambda):
                    nodes += walk(node.body)
            for node in nodes:
                match node:
                    case ast.Attribute(value=ast.Name(id=name), ctx=ast.Load()):
                        self._reads.setdefault(name, {}).setdefault(node.attr, node)
        return self._reads

    def bound_by(self, statement: ast.stmt, *, anew: bool = False) -> frozenset[str]:
        """The names that a statement of this scope, with all that is inside it, may bind or change;
        ``anew`` leaves out what it only changes in place."""
        return (self._rebound if anew else self._bound)[id(statement)]

    def binding(self, block: list[ast.stmt], *, anew: bool = False) -> dict[str, list[int]]:
        """The same for a whole block: each name, and which of the block's statements bind it."""
        found = self._binding.get((id(block), anew))
        if found is None:
            found = self._binding[id(block), anew] = {}
            for index, statement in enumerate(block):
                for name in self.bound_by(statement, anew=anew):
                    found.setdefault(name, []).append(index)
        return found

    def guards(self, block: list[ast.stmt]) -> list[Guard]:
        """The tests of a block that decide whether control comes past them, in order."""
        found = self._guards.get(id(block))
        if found is None:
            found = self._guards[id(block)] = []
            for index, each in enumerate(block):
                wanted = _passes(each) if isinstance(each, ast.If | ast.Assert) else None
                if wanted is not None and isinstance(each, ast.If | ast.Assert):
                    found.append(Guard(index, each.test, wanted, each))
                if wanted is not None and isinstance(each, ast.If):
                    # Past the rest of a chain: `if a: return x`, `elif b: return y`.
                    rest = each.body if wanted else each.orelse
                    found += [inner._replace(at=index) for inner in self.guards(rest)]
        return found

    def leaving(self, loop: ast.For | ast.AsyncFor | ast.While) -> Leaving:
        """Where a loop's rounds end before the end of its body."""
        found = self._leaving.get(id(loop))
        if found is None:
            found = self._leaving[id(loop)] = Leaving([], [])
            _find_leaving(loop.body, found)
        return found

    def calls_of(self, method: str) -> list[tuple[ast.Call, ast.stmt]]:
        """The statements that are calls of a method of anything, or keep what it gives, and the calls."""
        found = self._calls.get(method)
        if found is None:
            found = self._calls[method] = []
            for statement in statements_in(self.body):
                value = getattr(statement, "value", None)
                if (
                    isinstance(value, ast.Call)
                    and isinstance(value.func, ast.Attribute)
                    and value.func.attr == method
                ):
                    found.append((value, statement))
        return found

    def _read(
        self, block: list[ast.stmt], owner: ast.AST | None, role: str, changes: set[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        names: set[str] = set()
        anew: set[str] = set()
        for index, statement in enumerate(block):
            mark = id(statement)
            self.places[mark] = Place(owner, block, index, role)  # type: ignore[arg-type]
            kind = type(statement)
            rebound = set(own_names(statement))
            if kind in _IMPORTS:
                self.imports |= rebound
            changed = changed_names(statement)
            if self._aliases and changed:
                meant = {self._aliases[name] for name in changed if name in self._aliases}
                if meant:
                    self.aliased[id(statement)] = meant
                    changed |= meant
            handed = (_handed(statement) & self._dicts) - rebound if self._dicts else None
            if handed:
                self.handed[id(statement)] = handed
                changed |= handed
            changes |= changed
            bound = rebound | changed
            for inner_role, inner, inner_owner in () if kind in CHANGING else blocks(statement):
                if inner_owner is not statement:
                    self.try_of[id(inner_owner)] = statement
                inner_bound, inner_rebound = self._read(inner, inner_owner, inner_role, changes)
                bound |= inner_bound
                rebound |= inner_rebound
            # Most statements change nothing in place, and many bind nothing or the same: one set will do.
            held = frozenset(rebound)
            self._rebound[mark] = held = _sets.setdefault(held, held)
            if len(bound) != len(rebound):
                held = frozenset(bound)
                held = _sets.setdefault(held, held)
            self._bound[mark] = held
            names |= bound
            anew |= rebound
        return frozenset(names), frozenset(anew)


# Of all layouts: a set takes more than what is in it.
_sets: dict[frozenset[str], frozenset[str]] = {}


def forget_sets() -> None:
    """Lets go of the sets of names, when another program is looked at."""
    _sets.clear()


def _find_leaving(block: list[ast.stmt], found: Leaving) -> None:
    for statement in block:
        if isinstance(statement, ast.Break):
            found.breaks.append(statement)
        elif isinstance(statement, ast.Continue):
            found.continues.append(statement)
        elif isinstance(statement, ast.For | ast.AsyncFor | ast.While):
            _find_leaving(statement.orelse, found)
        else:
            for _, inner, _ in blocks(statement):
                _find_leaving(inner, found)


def _aliases(body: list[ast.stmt]) -> dict[str, str]:
    """The names that a scope gives to what it has under others, and to parts of that: ``options = cfg``,
    ``options = cfg["loader"]``, ``for options in cfg.values()``."""
    found: dict[str, str] = {}
    for statement in statements_in(body):
        kind = type(statement)
        if kind is ast.Assign:
            assert isinstance(statement, ast.Assign)
            if isinstance(statement.targets[0], ast.Name) and type(statement.value) in _PARTS:
                name, (root, keys) = statement.targets[0].id, steps(statement.value)
                if isinstance(root, ast.Name) and root.id != name and (keys or root is statement.value):
                    found[name] = root.id
        elif kind is ast.For:
            assert isinstance(statement, ast.For)
            root, _ = steps(statement.iter)
            if isinstance(root, ast.Name):
                found.update((name, root.id) for name in target_names(statement.target) if name != root.id)
    return found


def _dicts(body: list[ast.stmt]) -> set[str]:
    """The names under which a scope has dicts that it writes out, or copies: ``options = {}``."""
    found: set[str] = set()
    for statement in statements_in(body):
        if type(statement) is ast.Assign:
            assert isinstance(statement, ast.Assign)
            made = statement.value
            if type(made) in _DICTS or (
                isinstance(made, ast.Call) and (dotted(made.func) or "").rpartition(".")[2] in _MAKES_DICTS
            ):
                found.update(path for target in statement.targets if (path := dotted(target)) is not None)
    return found


def _handed(statement: ast.stmt) -> set[str]:
    """The names of what a statement hands to what it calls, itself or in part: ``fill(options)``."""
    if type(statement) not in _CALLING:
        return set()
    match statement:
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
            given = [*call.args, *(each.value for each in call.keywords if each.arg is not None)]
            return {path for each in given if (path := dotted(steps(each)[0])) is not None}
    return set()


def _passes(statement: ast.If | ast.Assert) -> bool | None:
    """What a test must be for control to come past its statement; None where either will do, or none."""
    if isinstance(statement, ast.Assert):
        return True
    if ends(statement.body):
        return None if ends(statement.orelse) else False
    return True if statement.orelse and ends(statement.orelse) else None
