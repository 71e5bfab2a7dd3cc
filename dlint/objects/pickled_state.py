"""What of an object pickling takes along, where its class has a say in it: ``__getstate__``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.processes.pickling import STATE_METHODS, WHOLE_STATE
from dlint.regex import regex
from dlint.source.nodes import written_text
from dlint.values.values import Class, Function

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

_INHERITED = regex(r"super\(\w*(?:, *\w+)?\)\.__getstate__\(\)(?:\.copy\(\))?")
_WHOLE = regex(WHOLE_STATE)


def is_pickled(evaluator: Evaluator, cls: Class, attribute: str) -> bool:
    """Whether pickling takes an attribute along; not where a class decides in a way that cannot be seen."""
    out = left_out(evaluator, cls)
    return out is not None and attribute not in out


def left_out(evaluator: Evaluator, cls: Class) -> frozenset[str] | None:
    """The attributes that a class leaves out of what is pickled, or replaces; None: that is not known."""
    if any(True for name in STATE_METHODS[1:] for _ in evaluator.classes.member(cls, name)):
        return None
    out: set[str] = set()
    for above in evaluator.classes.line(cls):
        for function in above.node.body:
            if isinstance(function, ast.FunctionDef) and function.name == STATE_METHODS[0]:
                found = _of_method(function)
                if found is None:
                    return None
                out |= found[0]
                if not found[1]:
                    return frozenset(out)
    known = all(isinstance(value, Function) for value, _ in evaluator.classes.member(cls, STATE_METHODS[0]))
    return frozenset(out) if known else None


def _of_method(function: ast.FunctionDef) -> tuple[set[str], bool] | None:
    """What a ``__getstate__`` leaves out of everything, and whether it asks the class above first."""
    out: set[str] = set()
    state, inherits = None, False
    own = function.args.args[0].arg if function.args.args else "self"
    for statement in function.body:
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if state is None and (
                whole := _whole(value)
            ):
                state = name
                out |= whole[0]
                inherits = whole[1]
            case ast.Return(value=ast.Name(id=name)) if name == state:
                return out, inherits
            case ast.Return(value=ast.expr() as value) if state is None and (whole := _whole(value)):
                return out | whole[0], whole[1]
            case _:
                changed = _changed(statement, state, own, {})
                if changed is None:
                    return None
                out |= changed
    return None


def _whole(node: ast.expr) -> tuple[set[str], bool] | None:
    """What an expression leaves out of all attributes, and whether it asks the class above."""
    text = ast.unparse(node)
    if _WHOLE.fullmatch(text):
        return set(), False
    if _INHERITED.fullmatch(text):
        return set(), True
    match node:
        case ast.Dict(keys=[None, *keys], values=[first, *_]):
            whole, names = _whole(first), [written_text(key) for key in keys]
        case ast.Call(func=ast.Name(id="dict"), args=[first], keywords=words):
            whole, names = _whole(first), [word.arg for word in words]
        case ast.DictComp(
            key=ast.Name(id=key),
            value=ast.Name(id=value),
            generators=[
                ast.comprehension(
                    target=ast.Tuple(elts=[ast.Name(id=k), ast.Name(id=v)]),
                    iter=ast.Call(func=ast.Attribute(value=first, attr="items")),
                    ifs=tests,
                )
            ],
        ) if (key, value) == (k, v):
            whole, names = _whole(first), [name for test in tests for name in _unequal(test, key)]
        case _:
            return None
    known = {name for name in names if name is not None}
    return (whole[0] | known, whole[1]) if whole is not None and len(known) == len(names) else None


def _unequal(test: ast.expr, name: str) -> Iterator[str | None]:
    """The texts that a test keeps a name from being."""
    match test:
        case ast.Compare(left=ast.Name(id=left), ops=[ast.NotEq()], comparators=[text]) if left == name:
            yield written_text(text)
        case ast.Compare(
            left=ast.Name(id=left),
            ops=[ast.NotIn()],
            comparators=[ast.Tuple(elts=texts) | ast.List(elts=texts) | ast.Set(elts=texts)],
        ) if left == name:
            yield from map(written_text, texts)
        case _:
            yield None


def _changed(
    statement: ast.stmt, state: str | None, own: str, names: dict[str, list[str]]
) -> set[str] | None:
    """What a statement takes out of the state, or out of the object; ``names``: what the variables of loops
    go through. None where it does something else."""
    match statement:
        case ast.Delete(targets=targets) | ast.Assign(targets=targets):
            return _union(_taken(target, state, own, names) for target in targets)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr=method)) as call) if (
            held == state and method in ("pop", "update")
        ):
            if method == "pop":
                return _keys(call.args[0], names) if call.args else None
            given = {word.arg for word in call.keywords if word.arg is not None}
            return given if len(given) == len(call.keywords) and not call.args else None
        case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=texts) | ast.List(elts=texts), body=body):
            through = [text for each in texts if (text := written_text(each)) is not None]
            inside = {**names, name: through}
            changes = _union(_changed(each, state, own, inside) for each in body)
            return changes if len(through) == len(texts) else None
        case ast.If(body=body, orelse=orelse):
            return _union(_changed(each, state, own, names) for each in [*body, *orelse])
        case ast.Pass():
            return set()
    return None


def _taken(target: ast.expr, state: str | None, own: str, names: dict[str, list[str]]) -> set[str] | None:
    match target:
        case ast.Subscript(value=ast.Name(id=held), slice=key) if held == state:
            return _keys(key, names)
        case ast.Attribute(value=ast.Name(id=held), attr=attribute) if held == own:
            return {attribute}
    return None


def _keys(node: ast.expr, names: dict[str, list[str]]) -> set[str] | None:
    if isinstance(node, ast.Name):
        return set(names[node.id]) if node.id in names else None
    text = written_text(node)
    return {text} if text is not None else None


def _union(parts: Iterable[set[str] | None]) -> set[str] | None:
    """All of some sets; None where one of them is not known."""
    out: set[str] = set()
    for part in parts:
        if part is None:
            return None
        out |= part
    return out
