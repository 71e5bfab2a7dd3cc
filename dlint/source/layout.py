"""The layout of one scope: which statement stands where, and which names each statement may bind.

A *scope* is a module, a function, a lambda or a class body. Names here are plain (``x``) or dotted
(``args.distributed``, ``self.pool``): a store to an attribute binds the dotted path. A call that changes a
container in place (``kwargs.update(...)``) and a subscript store (``kwargs["x"] = 1``) bind the container.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias, cast

from dlint.source.nodes import children, walk

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Scope: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef

_TRIES: tuple[type[ast.AST], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

# Methods that change their receiver in place.
MUTATORS = frozenset(
    {"update", "append", "extend", "insert", "setdefault", "pop", "add", "remove", "clear", "appendleft"}
)
_PARTS = frozenset({ast.Name, ast.Subscript, ast.Call})
# Methods of a dict that give what is in it.
_GIVES_PARTS = frozenset({"get", "setdefault", "values", "items"})
# The statements that may change a container in place, and the expressions that may take an entry out of one.
_CHANGING = frozenset({ast.Delete, ast.Expr, ast.Assign, ast.AugAssign})
_GIVING = (ast.Expr, ast.Assign)
_IMPORTS = frozenset({ast.Import, ast.ImportFrom})
_HOLDING = frozenset({ast.Call, ast.Tuple, ast.List, ast.ListComp, ast.IfExp})
# What a list's ``pop()`` takes out.
_THE_LAST = ast.Constant(value=-1)


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


class Layout:
    """Places and bound names of one scope, without the scopes inside it.

    ``binds`` are all names that the scope binds or changes; ``changes`` those among them that some
    statement only changes in place, and ``imports`` those that an import binds.
    """

    __slots__ = (
        "_aliases",
        "_binding",
        "_bound",
        "_guards",
        "_leaving",
        "_nodes",
        "_rebound",
        "_roots",
        "aliased",
        "binds",
        "body",
        "changes",
        "imports",
        "places",
        "try_of",
    )

    def __init__(self, scope: Scope) -> None:
        self._nodes: tuple[ast.AST, ...] | None = None
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
        # Names for parts of what other names hold, and by statement the names of which it changes a part so.
        self._aliases = _aliases(self.body)
        self.aliased: dict[int, set[str]] = {}
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
            found = self._guards[id(block)] = [
                Guard(index, each.test, wanted, each)
                for index, each in enumerate(block)
                if isinstance(each, ast.If | ast.Assert) and (wanted := _passes(each)) is not None
            ]
        return found

    def leaving(self, loop: ast.For | ast.AsyncFor | ast.While) -> Leaving:
        """Where a loop's rounds end before the end of its body."""
        found = self._leaving.get(id(loop))
        if found is None:
            found = self._leaving[id(loop)] = Leaving([], [])
            _find_leaving(loop.body, found)
        return found

    def _read(
        self, block: list[ast.stmt], owner: ast.AST | None, role: str, changes: set[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        names: set[str] = set()
        anew: set[str] = set()
        for index, statement in enumerate(block):
            self.places[id(statement)] = Place(owner, block, index, role)  # type: ignore[arg-type]
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
            changes |= changed
            bound = rebound | changed
            for inner_role, inner, inner_owner in () if kind in _CHANGING else blocks(statement):
                if inner_owner is not statement:
                    self.try_of[id(inner_owner)] = statement
                inner_bound, inner_rebound = self._read(inner, inner_owner, inner_role, changes)
                bound |= inner_bound
                rebound |= inner_rebound
            # Most statements change nothing in place: one set will do.
            self._rebound[id(statement)] = kept = frozenset(rebound)
            self._bound[id(statement)] = kept if len(bound) == len(rebound) else frozenset(bound)
            names |= bound
            anew |= rebound
        return frozenset(names), frozenset(anew)


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


def _passes(statement: ast.If | ast.Assert) -> bool | None:
    """What a test must be for control to come past its statement; None where either will do, or none."""
    if isinstance(statement, ast.Assert):
        return True
    if ends(statement.body):
        return None if ends(statement.orelse) else False
    return True if statement.orelse and ends(statement.orelse) else None


def blocks(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt], ast.AST]]:
    """The blocks inside a statement that belong to the same scope: (role, block, owner)."""
    match statement:
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While():
            yield "body", statement.body, statement
            if statement.orelse:
                yield "orelse", statement.orelse, statement
        case ast.With() | ast.AsyncWith():
            yield "body", statement.body, statement
        case ast.Match():
            for case in statement.cases:
                yield "case", case.body, case
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return
    attempt = as_try(statement)
    if attempt is not None:
        yield "body", attempt.body, statement
        for handler in attempt.handlers:
            yield "handler", handler.body, handler
        if attempt.orelse:
            yield "orelse", attempt.orelse, statement
        if attempt.finalbody:
            yield "finalbody", attempt.finalbody, statement


def as_try(node: ast.AST) -> ast.Try | None:
    """A ``try`` statement, with ``except`` or (from Python 3.11 on) ``except*``."""
    return cast(ast.Try, node) if isinstance(node, _TRIES) else None


def own_names(statement: ast.stmt) -> list[str]:
    """The names that a statement binds by itself, its inner blocks left aside."""
    match statement:
        case ast.Assign():
            return [*_names_of(statement.targets), *_walrus(statement.value)]
        case ast.AugAssign() | ast.For() | ast.AsyncFor():
            return target_names(statement.target)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [statement.name]
        case ast.Import():
            return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
        case ast.ImportFrom():
            return [alias.asname or alias.name for alias in statement.names]
        case ast.With() | ast.AsyncWith():
            return _names_of(
                [item.optional_vars for item in statement.items if item.optional_vars is not None]
            )
        case ast.If() | ast.While():
            return _walrus(statement.test)
        case ast.Delete():
            return _names_of(statement.targets)
        case ast.Match():
            return [name for case in statement.cases for name in pattern_names(case.pattern)]
    attempt = as_try(statement)
    return [handler.name for handler in attempt.handlers if handler.name] if attempt is not None else []


def pattern_names(pattern: ast.pattern) -> list[str]:
    """The names that a pattern of a ``case`` binds."""
    found: list[str] = []
    for node in walk(pattern):
        match node:
            case (
                ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name))
            ):
                found.append(name)
    return found


def _walrus(node: ast.expr) -> list[str]:
    if isinstance(node, ast.NamedExpr):
        return target_names(node.target)
    if isinstance(node, ast.BoolOp):
        return [name for value in node.values for name in _walrus(value)]
    if isinstance(node, ast.Compare):
        return _walrus(node.left)
    if isinstance(node, ast.UnaryOp):
        return _walrus(node.operand)
    return []


def target_names(target: ast.expr) -> list[str]:
    """The names that an assignment's target binds."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Attribute):
        path = dotted(target)
        return [path] if path else []
    if isinstance(target, ast.Tuple | ast.List):
        return _names_of(target.elts)
    return target_names(target.value) if isinstance(target, ast.Starred) else []


def _names_of(targets: list[ast.expr]) -> list[str]:
    return [name for target in targets for name in target_names(target)]


def changed_names(statement: ast.stmt) -> set[str]:
    """The names of the containers that a statement changes in place."""
    if type(statement) not in _CHANGING:
        return set()
    receivers: list[ast.expr] = []
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr=method))):
            if method in MUTATORS:
                receivers.append(receiver)
        case ast.Assign(targets=targets):
            receivers += [target.value for target in targets if isinstance(target, ast.Subscript)]
        case ast.AugAssign(target=ast.Subscript(value=receiver)):
            receivers.append(receiver)
        case ast.Delete(targets=targets):
            receivers += [target.value for target in targets if isinstance(target, ast.Subscript)]
    found = {path for each in receivers if (path := dotted(steps(each)[0]))} if receivers else set()
    found.update(path for path, _ in taken(statement))
    return found


def steps(node: ast.expr) -> tuple[ast.expr, list[ast.expr | None]]:
    """What an expression is a part of, and the keys that lead there, the outermost first: ``cfg`` and
    ``"loader"``, ``"workers"`` of ``cfg["loader"]["workers"]``; None for a key that is not written out."""
    keys: list[ast.expr | None] = []
    while True:
        match node:
            case ast.Subscript(value=inner, slice=key):
                keys.append(key)
            case ast.Call(func=ast.Attribute(value=inner, attr=method), args=given) if method in _GIVES_PARTS:
                keys.append(given[0] if given else None)
            case _:
                return node, keys[::-1]
        node = inner


def changes_part(statement: ast.stmt, name: str) -> bool:
    """Whether a statement changes only what is in one of the things that a container holds."""
    match statement:
        case (
            ast.Assign(targets=[ast.Subscript(value=held)])
            | ast.AugAssign(target=ast.Subscript(value=held))
            | ast.Delete(targets=[ast.Subscript(value=held)])
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=held)))
        ):
            root, keys = steps(held)
            return bool(keys) and dotted(root) == name
    return False


def taken(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    """The dicts and lists that a statement takes entries out of, with the keys: ``del kwargs["x"]``, and
    ``kwargs.pop("x")`` or ``files.pop()`` wherever it stands in what is called or assigned."""
    found: list[tuple[str, ast.expr]] = []
    if isinstance(statement, ast.Delete):
        for target in statement.targets:
            path = dotted(target.value) if isinstance(target, ast.Subscript) else None
            if path and isinstance(target, ast.Subscript):
                found.append((path, target.slice))
    elif isinstance(statement, _GIVING) and type(statement.value) in _HOLDING:
        _popped(statement.value, found)
    return found


def _popped(node: ast.expr | None, found: list[tuple[str, ast.expr]]) -> None:
    parts: list[ast.expr]
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
            path = dotted(node.func.value)
            if path:
                found.append((path, node.args[0] if node.args else _THE_LAST))
        parts = [*node.args, *[keyword.value for keyword in node.keywords]] if node.keywords else node.args
    elif isinstance(node, ast.Tuple | ast.List):
        parts = node.elts
    elif isinstance(node, ast.ListComp):
        parts = [node.elt]
    elif isinstance(node, ast.IfExp):
        parts = [node.test]
    else:
        return
    for part in parts:
        if type(part) in _HOLDING:
            _popped(part, found)


def dotted(node: ast.expr) -> str | None:
    """``a.b.c`` of an expression that is only names and attributes."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else None
    return None


def ends(block: list[ast.stmt]) -> bool:
    """Whether control surely does not leave the block at its end (return, raise, continue, break)."""
    if not block:
        return False
    last = block[-1]
    match last:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.If():
            return bool(last.orelse) and ends(last.body) and ends(last.orelse)
        case ast.With() | ast.AsyncWith():
            return ends(last.body)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="sys"), attr="exit"))):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="exit" | "quit"))):
            return True
    return False


def parameters(node: FunctionNode | ast.Lambda) -> list[ast.arg]:
    """All parameters in order, the starred ones last."""
    arguments = node.args
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    found += [star for star in (arguments.vararg, arguments.kwarg) if star]
    return found


def expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that a statement evaluates itself, its inner blocks left aside."""
    for field, value in ast.iter_fields(statement):
        if field in ("body", "orelse", "finalbody", "handlers", "cases"):
            continue
        items = value if isinstance(value, list) else [value]
        for item in items:
            if isinstance(item, ast.expr):
                yield item
            elif isinstance(item, ast.withitem):
                yield item.context_expr


def statements_in(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a block that belong to its scope, in order."""
    for statement in block:
        yield statement
        for _, inner, _ in blocks(statement):
            yield from statements_in(inner)


def functions_in(block: list[ast.stmt]) -> Iterator[FunctionNode]:
    """The functions that a block defines in its own scope."""
    for statement in statements_in(block):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement
