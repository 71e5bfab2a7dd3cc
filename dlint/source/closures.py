"""The scopes of a module: which names each binds, which it takes from those around it, and who reads them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from dlint.budget.budget import spend
from dlint.source.nodes import COMPREHENSIONS, Comprehension, children, walk
from dlint.source.statements import parameters

Callable_: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MOST = 32  # scopes whose names are kept: questions come one function after the other
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Binding(NamedTuple):
    """A place where a scope gives a name a value, or takes it away: the nodes from the scope down to it."""

    name: str
    trail: tuple[ast.AST, ...]

    @property
    def node(self) -> ast.AST:
        """The name, definition, import, handler, pattern or parameter itself."""
        return self.trail[-1]


# Names


def names_taken(function: Callable_) -> list[ast.Name]:
    """The names in a function's body that it does not bind itself, in the order of the text."""
    return sorted(_outside(function), key=lambda name: (name.lineno, name.col_offset))


def names_outside_body(function: Callable_) -> list[ast.Name]:
    """The names of a function's defaults, annotations and decorators: looked up when it is defined."""
    return list(_names(_head(function)))


def _outside(scope: ast.AST) -> Iterator[ast.Name]:
    bound = bound_by(scope)
    yield from (name for name in _names(_inside(scope)) if name.id not in bound)


def _names(nodes: Iterable[ast.AST], hidden: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """The names looked up from the scope that nodes stand in; the ``hidden`` ones that a class binds are
    not seen by the functions in it."""
    for node in nodes:
        spend(1)
        if isinstance(node, ast.Name):
            if node.id not in hidden:
                yield node
        elif isinstance(node, _FUNCTIONS):
            yield from _names(_head(node), hidden)
            yield from _outside(node)
        elif isinstance(node, COMPREHENSIONS):
            yield from _names([node.generators[0].iter], hidden)
            yield from _outside(node)
        elif isinstance(node, ast.ClassDef):
            yield from _names([*node.decorator_list, *node.bases, *node.keywords], hidden)
            yield from _names(node.body, bound_by(node))
        else:
            yield from _names(children(node), hidden)


def _head(function: Callable_) -> list[ast.AST]:
    """What of a function belongs to the scope around it."""
    arguments = function.args
    found: list[ast.AST] = [default for default in (*arguments.defaults, *arguments.kw_defaults) if default]
    found += [each.annotation for each in parameters(function) if each.annotation is not None]
    if not isinstance(function, ast.Lambda):
        found += [*function.decorator_list, *([function.returns] if function.returns else [])]
    return found


def _inside(scope: ast.AST) -> list[ast.AST]:
    """What of a scope is looked up from within it."""
    match scope:
        case ast.Lambda():
            return [scope.body]
        case ast.DictComp():
            parts: list[ast.AST] = [scope.key, scope.value]
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            parts = [scope.elt]
        case _:
            return list(scope.body)  # type: ignore[attr-defined]
    for index, each in enumerate(scope.generators):
        parts += [each.target, *each.ifs, *([each.iter] if index else [])]
    return parts


def bound_by(scope: ast.AST) -> frozenset[str]:
    """The names that are a scope's own."""
    if isinstance(scope, COMPREHENSIONS):
        targets = (node for each in scope.generators for node in walk(each.target))
        return frozenset(node.id for node in targets if isinstance(node, ast.Name))
    return _names_of(scope).own


def bindings(scope: ast.AST) -> tuple[Binding, ...]:
    """Every place where a scope that is no comprehension binds a name."""
    return _names_of(scope).bindings


class _Names(NamedTuple):
    """What a scope that is no comprehension does with names: where it binds them, which are its own, and
    which it takes from its module by ``global``."""

    bindings: tuple[Binding, ...]
    own: frozenset[str]
    taken: frozenset[str]


_lately: dict[int, tuple[ast.AST, _Names]] = {}


def _names_of(scope: ast.AST) -> _Names:
    held = _lately.get(id(scope))
    if held is None or held[0] is not scope:
        if len(_lately) >= _MOST:
            _lately.clear()
        held = _lately[id(scope)] = (scope, _read(scope))
    return held[1]


def _read(scope: ast.AST) -> _Names:
    found = tuple(_bindings_of(scope))
    declared = [node for node, _ in _own_nodes(scope) if isinstance(node, ast.Global | ast.Nonlocal)]
    elsewhere = {name for node in declared for name in node.names}
    return _Names(
        found,
        frozenset(each.name for each in found if each.name not in elsewhere),
        frozenset(name for node in declared if isinstance(node, ast.Global) for name in node.names),
    )


def forget() -> None:
    """Lets go of what was read last: it holds the trees of a program."""
    _lately.clear()


def _bindings_of(scope: ast.AST) -> Iterator[Binding]:
    if isinstance(scope, _FUNCTIONS):
        for parameter in parameters(scope):
            yield Binding(parameter.arg, (scope, parameter))
    for node, trail in _own_nodes(scope):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield Binding(name, (*trail, node))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield Binding(name, (*trail, node))
            case ast.alias():
                yield Binding(node.asname or node.name.partition(".")[0], (*trail, node))
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield Binding(name, (*trail, node))
            case ast.MatchMapping(rest=str(name)):
                yield Binding(name, (*trail, node))


def _own_nodes(scope: ast.AST) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """The nodes of a scope, each with those above it; of scopes inside it only what belongs to this one."""
    waiting: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [
        (each, (scope,)) for each in reversed(_inside(scope))
    ]
    while waiting:
        node, trail = waiting.pop()
        spend(1)
        yield node, trail
        below = (*trail, node)
        if isinstance(node, _FUNCTIONS):
            inner = _head(node)
        elif isinstance(node, ast.ClassDef):
            inner = [*node.decorator_list, *node.bases, *node.keywords]
        elif isinstance(node, COMPREHENSIONS):
            # A walrus in a comprehension binds outside it; its own variables do not.
            inner = [each for each in walk(node) if isinstance(each, ast.NamedExpr)]
        else:
            inner = children(node)
        waiting += [(child, below) for child in reversed(inner)]


# Where they belong


def owner(name: str, trail: Sequence[ast.AST]) -> int | None:
    """The index in a trail of the function or comprehension that a name, looked up from the scope of the
    trail's last node, belongs to; None where it is a name of the module or of Python."""
    for index in range(len(trail) - 2, 0, -1):
        scope, below = trail[index], trail[index + 1]
        if isinstance(scope, COMPREHENSIONS):
            # What the first `for` goes over is looked up outside.
            if not _is_first_iter(scope, trail, index) and name in bound_by(scope):
                return index
        elif isinstance(scope, _FUNCTIONS) and _is_in_body(scope, below):
            if name in bound_by(scope):
                return index
            if name in _names_of(scope).taken:
                return None
    return None


def _is_first_iter(scope: Comprehension, trail: Sequence[ast.AST], index: int) -> bool:
    first = scope.generators[0]
    return trail[index + 1] is first and len(trail) > index + 2 and trail[index + 2] is first.iter


def _is_in_body(scope: Callable_, below: ast.AST) -> bool:
    if isinstance(scope, ast.Lambda):
        return below is scope.body
    return any(below is each for each in scope.body)


def reads(name: str, scope: ast.AST, above: Sequence[ast.AST]) -> Iterator[list[ast.AST]]:
    """Where a name that ``scope`` (the last node of ``above``) binds is read, there and in the functions in
    it: the nodes from the outermost one of ``above`` down to each place."""
    waiting: list[list[ast.AST]] = [[*above, child] for child in reversed(children(scope))]
    while waiting:
        trail = waiting.pop()
        node = trail[-1]
        spend(1)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            index = owner(name, trail)
            if (trail[index] if index is not None else trail[0]) is scope:
                yield trail
        waiting += [[*trail, child] for child in reversed(children(node))]


def trail_to(tree: ast.AST, node: ast.AST) -> list[ast.AST] | None:
    """The nodes from a tree's root down to a node that has a place in the text."""
    first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
    waiting = [[tree]]
    while waiting:
        trail = waiting.pop()
        if trail[-1] is node:
            return trail
        for child in children(trail[-1]):
            spend(1)
            if not hasattr(child, "lineno") or isinstance(child, _DEFINITIONS):
                waiting.append([*trail, child])  # decorators stand above the line of what they decorate
            elif child.lineno <= first and last <= (getattr(child, "end_lineno", None) or last):
                waiting.append([*trail, child])
    return None
