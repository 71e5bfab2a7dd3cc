"""What gives the items of a dataset one after another, all of them as they are, and is none itself."""

from __future__ import annotations

import ast

from dlint.source.statements import dotted, last_name

FORWARDS = frozenset({"enumerate", "tqdm", "track"})


def forwarded(node: ast.expr) -> ast.expr:
    """What an iterable goes through, ``enumerate`` and the like taken away, be it a call."""
    while isinstance(node, ast.Call) and node.args and last_name(node.func) in FORWARDS:
        node = node.args[0]
    return node


def handed(node: ast.expr) -> tuple[ast.expr | None, ast.expr | None]:
    """What an iterable goes through, and what is called with that, and nothing else, to give its items."""
    node = forwarded(node)
    match node:
        case (
            ast.Call(func=giver, args=[source], keywords=[])
            | ast.Call(func=giver, args=[], keywords=[ast.keyword(value=source)])
        ) if dotted(giver) is not None and dotted(source) is not None:
            return source, giver
        case ast.GeneratorExp() | ast.ListComp() if (source_of := _each_item(node)) is not None:
            return source_of, None
    return (node if dotted(node) is not None else None), None


def hands_items_on(function: ast.FunctionDef, name: str) -> bool:
    """Whether what a function gives are the items of what it gets under a name, all of them, as they are."""
    match [each for each in function.body if not _is_text(each)]:
        case [ast.Return(value=ast.expr() as given)] | [ast.Expr(value=ast.YieldFrom(value=given))]:
            while isinstance(given, ast.Call) and dotted(given.func) in ("iter", "list", "tuple"):
                if len(given.args) != 1:
                    return False
                given = given.args[0]
            source = _each_item(given) or given
            return not isinstance(given, ast.Starred) and dotted(source) == name
        case [ast.For(target=target, iter=iterable, body=[*before, ast.Expr(value=ast.Yield(value=item))])]:
            match before, item:
                case [], ast.expr():
                    pass
                case [ast.Assign(targets=[ast.Name(id=bound)], value=ast.expr() as made)], ast.Name(
                    id=given_name
                ) if bound == given_name:
                    item = made
                case _:
                    return False
            source_of = _of_each(item, target, iterable)
            return source_of is not None and dotted(source_of) == name
    return False


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _each_item(node: ast.expr) -> ast.expr | None:
    """What a comprehension gives all items of, as they are: ``dataset[i] for i in range(len(dataset))``."""
    match node:
        case (
            ast.GeneratorExp(elt=item, generators=[ast.comprehension(ifs=[]) as each])
            | ast.ListComp(elt=item, generators=[ast.comprehension(ifs=[]) as each])
        ):
            return _of_each(item, each.target, each.iter)
    return None


def _of_each(item: ast.expr | None, target: ast.expr, iterable: ast.expr) -> ast.expr | None:
    """What an item is of, where each is given: itself, or by all of the numbers."""
    if not isinstance(target, ast.Name):
        return None
    whole = forwarded(iterable)
    match item, whole:
        case ast.Name(id=name), _ if name == target.id and dotted(whole) is not None:
            # What is counted gives pairs of a number and an item.
            return whole if "enumerate" not in ast.unparse(iterable) else None
        case (
            ast.Subscript(value=source, slice=ast.Name(id=index)),
            ast.Call(
                func=ast.Name(id="range" | "trange"),
                args=[ast.Call(func=ast.Name(id="len"), args=[counted])],
            ),
        ) if index == target.id and dotted(source) == dotted(counted) is not None:
            return source
    return None
