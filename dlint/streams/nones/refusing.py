"""Functions of the program that make batches and surely take each item apart: they fail for one that is None
(``[item["wave"] for item in batch]``, ``zip(*batch)``)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.source.nodes import Comprehension, children, walk
from dlint.source.statements import FunctionNode, dotted
from dlint.streams.items.items import is_default_collate
from dlint.values.frame import Arguments, Point
from dlint.values.functions import given_names
from dlint.values.values import Function, Instance, Partial, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.frame import Frame

# What counts or numbers the items, and changes none of them.
_LOOKS = frozenset({"enumerate", "len", "print", "range"})
_BOUND = frozenset({"staticmethod", "classmethod"})


def refuses_none(evaluator: Evaluator, collate: Value) -> str | None:
    """What a ``collate_fn`` of the program is called that surely raises TypeError where an item is None; None
    where it may leave that out."""
    before, functions, name = 0, list[Function](), ""
    match collate:
        case Function():
            functions, name = [collate], _called(collate)
        case Partial(callee=Function() as function, arguments=given) if not (given.spread or given.splats):
            functions, name, before = [function], _called(function), len(given.positional)
        case Instance():
            functions, name = evaluator.classes.methods(collate, "__call__"), collate.cls.name
    return name if functions and all(_refuses(evaluator, each, before) for each in functions) else None


def _called(function: Function) -> str:
    if not isinstance(function.node, FunctionNode):
        return "its collate_fn"
    owner = function.owner
    return f"{owner.name}.{function.node.name}" if owner is not None else function.node.name


def _refuses(evaluator: Evaluator, function: Function, before: int) -> bool:
    node, names = function.node, given_names(function)[before:]
    if not names or isinstance(node, ast.AsyncFunctionDef):
        return False
    evaluator.start()
    frame = evaluator.calls.enter(function, Arguments(), None, None)
    if isinstance(node, ast.Lambda):
        return _fails(evaluator, Point(frame, None), node.body, names[0])
    if not all(dotted(each) in _BOUND for each in node.decorator_list):
        return False
    for statement in node.body:
        point = Point(frame, statement)
        if _takes_apart(evaluator, statement, point, names[0]):
            return _are_all_there(evaluator, statement, frame, names[0])
        if not _leaves(statement, names[0]):
            return False
    return False


def _are_all_there(evaluator: Evaluator, statement: ast.stmt, frame: Frame, batch: str) -> bool:
    """Whether a statement runs, and a parameter is there what the function was given."""
    point = Point(frame, statement)
    definitions = evaluator.flow.definitions(batch, point, HERE)
    return bool(definitions) and all(each is None for each, _ in definitions)


def _leaves(statement: ast.stmt, batch: str) -> bool:
    """Whether what comes after a statement is reached with all items, should their name not be bound anew."""
    for node in walk(statement):
        match node:
            case ast.Return() | ast.Raise() | ast.Try() | ast.While() | ast.With() | ast.Match():
                return False
            case ast.Delete() | ast.FunctionDef() | ast.Assert() | ast.Yield():
                return False
            case ast.Call(args=given, keywords=named):
                handed = [*given, *(each.value for each in named)]
                if any(_is(each, batch) for each in handed) and dotted(node.func) not in _LOOKS:
                    return False
                if isinstance(node.func, ast.Attribute) and _is(node.func.value, batch):
                    return False
            case ast.Assign(value=value) if _is(value, batch):
                return False  # by another name it may get shorter
    return True


def _takes_apart(evaluator: Evaluator, statement: ast.stmt, point: Point, batch: str) -> bool:
    """Whether a statement surely takes something of each item."""
    match statement:
        case ast.For(target=target, iter=source, body=[first, *_]):
            item = _item_of(target, source, batch)
            return item is not None and (
                item == "" or (isinstance(first, ast.Expr | ast.Assign) and _reads(first.value, item))
            )
        case (
            ast.Assign(value=value)
            | ast.AnnAssign(value=ast.expr() as value)
            | ast.Expr(value=value)
            | ast.Return(value=ast.expr() as value)
        ):
            return _fails(evaluator, point, value, batch)
    return False


def _fails(evaluator: Evaluator, point: Point, expression: ast.expr, batch: str) -> bool:
    """Whether an expression surely takes something of each item of a batch."""
    for node in _surely(expression):
        match node:
            case ast.Call(func=ast.Name(id="zip"), args=[ast.Starred(value=whole), *_]) if _is(whole, batch):
                return True
            case ast.Call(func=ast.Name(id="sorted"), args=[whole]) if _is(whole, batch):
                if _reads_by_key(node):
                    return True
            case ast.Call(func=ast.Attribute(value=whole, attr="sort"), args=[]) if _is(whole, batch):
                if _reads_by_key(node):
                    return True
            case ast.Call(args=[whole]) if _is(whole, batch) and (dotted(node.func) or "").endswith(
                "collate"
            ):
                callees = [value for value, _ in evaluator.values(node.func, point)]
                if callees and all(map(is_default_collate, callees)):
                    return True
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                if _goes_through(node, batch):
                    return True
    return False


def _goes_through(node: Comprehension, batch: str) -> bool:
    first, *others = node.generators
    item = _item_of(first.target, first.iter, batch) if not first.ifs else None
    if item is None:
        return False
    if others:
        made: ast.expr = others[0].iter
    else:
        made = node.key if isinstance(node, ast.DictComp) else node.elt
    return item == "" or _reads(made, item)


def _item_of(target: ast.expr, source: ast.expr, batch: str) -> str | None:
    """What each item of a batch is called that is gone through, "" where it is taken apart at once; None
    where something else is gone through."""
    match source, target:
        case ast.Call(func=ast.Name(id="enumerate"), args=[whole]), ast.Tuple(elts=[_, item]):
            if not _is(whole, batch):
                return None
        case _:
            if not _is(source, batch):
                return None
            item = target
    return item.id if isinstance(item, ast.Name) else ""


def _reads_by_key(call: ast.Call) -> bool:
    """Whether the key by which something is sorted is read from each item."""
    for word in call.keywords:
        match word:
            case ast.keyword(arg="key", value=ast.Lambda(args=ast.arguments(args=[given]), body=key)):
                return _reads(key, given.arg)
    return False


def _reads(expression: ast.expr, item: str) -> bool:
    """Whether an expression surely has something of what an item holds."""
    return any(
        isinstance(node, ast.Subscript) and _is(node.value, item) and isinstance(node.ctx, ast.Load)
        for node in _surely(expression)
    )


def _surely(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that are evaluated whatever the tests in it say; of one that goes through
    something, what that is, and itself."""
    yield node
    match node:
        case ast.Lambda():
            return
        case ast.IfExp(test=test):
            yield from _surely(test)
        case ast.BoolOp(values=[first, *_]):
            yield from _surely(first)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _surely(node.generators[0].iter)
        case _:
            for child in children(node):
                yield from _surely(child)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
