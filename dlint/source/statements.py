"""What single statements say: the names that they bind or change, their blocks, expressions and ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast

from dlint.source.nodes import walk

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Scope: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_TRIES: tuple[type[ast.AST], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
# Most statements: none stands inside them.
_SIMPLE = frozenset(
    {ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Pass, ast.Assert}
)
# Methods that change their receiver in place.
MUTATORS = frozenset(
    {"update", "append", "extend", "insert", "setdefault", "pop", "add", "remove", "clear", "appendleft"}
)
# Methods of a dict that give what is in it.
_GIVES_PARTS = frozenset({"get", "setdefault", "values", "items"})
# The statements that may change a container in place, and the expressions that may take an entry out of one.
CHANGING = frozenset({ast.Delete, ast.Expr, ast.Assign, ast.AugAssign})
_GIVING = (ast.Expr, ast.Assign)
_HOLDING = frozenset({ast.Call, ast.Tuple, ast.List, ast.ListComp, ast.IfExp})
# What a list's ``pop()`` takes out.
_THE_LAST = ast.Constant(value=-1)


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
    match node:
        case ast.BoolOp(values=inner):
            return [name for value in inner for name in _walrus(value)]
        case ast.Compare(left=left, comparators=others):
            return [name for value in (left, *others) for name in _walrus(value)]
        case ast.UnaryOp(operand=value) | ast.Attribute(value=value) | ast.Subscript(value=value):
            return _walrus(value)
        case ast.Call(func=func, args=given):
            return [name for value in (func, *given) for name in _walrus(value)]
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
    if type(statement) not in CHANGING:
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


def last_name(node: ast.expr) -> str:
    """The last part of a dotted name, the empty text of what is none."""
    return (dotted(node) or "").rpartition(".")[2]


def head_name(node: ast.expr) -> str:
    """The last part of the name of what is called, or stands there: of a decorator, called or not."""
    return last_name(node.func if isinstance(node, ast.Call) else node)


def bare_name(node: ast.AST | None) -> str:
    """The attribute or name that something ends in, whatever stands before it (``f().close``); the empty text
    of what is neither."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def given_in(call: ast.Call) -> list[ast.expr]:
    """What a call is given by place and by name, as it is written."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def assigned_in(body: list[ast.stmt], name: str) -> list[ast.expr]:
    """What the statements of a block itself assign to a name."""
    return [
        each.value
        for each in body
        if isinstance(each, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
    ]


def given_by_name(call: ast.Call) -> dict[str | None, ast.expr]:
    """What a call is given by name, as it is written; under None the last dict that it unpacks."""
    return {keyword.arg: keyword.value for keyword in call.keywords}


def call_of(trail: list[ast.AST]) -> tuple[ast.Call, list[ast.AST]] | None:
    """The call of what a trail leads to, or of it with types told (``Source[str](path)``), and the trail to
    the called expression."""
    for last in (len(trail), len(trail) - 1):
        callee, call = trail[last - 1], trail[last - 2] if last > 1 else None
        if isinstance(call, ast.Call) and call.func is callee:
            return call, trail[:last]
        if not isinstance(call, ast.Subscript) or call.value is not callee:
            break
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
    if arguments.vararg is not None:
        found.append(arguments.vararg)
    if arguments.kwarg is not None:
        found.append(arguments.kwarg)
    return found


def self_name(node: FunctionNode | ast.Lambda) -> str:
    """What a method calls its object: its first parameter; "" where it has none."""
    arguments = node.args
    first = arguments.posonlyargs or arguments.args
    if first:
        return first[0].arg
    found = parameters(node)
    return found[0].arg if found else ""


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


def is_self(node: ast.AST) -> bool:
    """Whether an expression is what methods call their object or class, whoever says so."""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of the expressions that a statement evaluates itself."""
    for expression in expressions(statement):
        yield from walk(expression)


def statements_in(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a block that belong to its scope, in order."""
    for statement in block:
        yield statement
        if type(statement) not in _SIMPLE:
            for _, inner, _ in blocks(statement):
                yield from statements_in(inner)


def statement_at(scope: Scope, node: ast.expr) -> ast.stmt | None:
    """The innermost statement of a scope that evaluates an expression; None in a lambda."""
    found = None
    for statement in statements_in(scope.body) if not isinstance(scope, ast.Lambda) else ():
        if statement.lineno <= node.lineno <= (statement.end_lineno or statement.lineno):
            found = statement
    return found


def innermost_statement(trail: Sequence[ast.AST]) -> ast.stmt | None:
    """The innermost statement that a trail of nodes leads through."""
    return next((each for each in reversed(trail) if isinstance(each, ast.stmt)), None)


def functions_in(block: list[ast.stmt]) -> Iterator[FunctionNode]:
    """The functions that a block defines in its own scope."""
    for statement in statements_in(block):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement
