"""Classes that make their objects in ``__new__``, as those do of which there is to be one object only.

What ``__new__`` stores in the object that it makes stands in an ``__init__`` then, so that it is found as in
any other class; who asks how often that runs asks whether the class ``keeps_one`` object.
"""

from __future__ import annotations

import ast

from dlint.source.nodes import walk
from dlint.source.statements import blocks, dotted, own_names, statements_in

_NEW = "__new__"


def write_out_new(node: ast.ClassDef) -> None:
    """Moves what the ``__new__`` of a class without bases does with the object that it has made into an
    ``__init__``, where the class has none."""
    methods = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    new = methods.get(_NEW)
    if new is None or "__init__" in methods or node.bases or new.decorator_list or not new.args.args:
        return
    found = _making(new.body)
    if found is None:
        return
    block, at, _ = found
    names = {path for target in block[at].targets if (path := dotted(target))}  # type: ignore[attr-defined]
    names |= {path for each in block[at + 1 :] for path in _further_names(each, names)}
    moved = [each for each in block[at + 1 :] if _stores(each, names)]
    # What they work with must go with them, or be there for both.
    needed = {
        each.id for statement in moved for each in walk(statement) if isinstance(each, ast.Name)
    } - names
    if not moved or needed & {name for each in statements_in(new.body) for name in own_names(each)}:
        return
    block[at + 1 :] = [each for each in block[at + 1 :] if each not in moved]
    own = new.args.args[0].arg
    made = ast.FunctionDef(
        "__init__", _arguments(new), [_renamed(each, names, own) for each in moved], [], None
    )
    made.lineno, made.col_offset = moved[0].lineno, moved[0].col_offset
    made.end_lineno, made.end_col_offset = moved[-1].end_lineno, moved[-1].end_col_offset
    node.body.append(ast.fix_missing_locations(made))


def keeps_one(node: ast.ClassDef) -> bool:
    """Whether the ``__new__`` of a class makes its object under a test, where there is none yet."""
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == _NEW:
            found = _making(each.body)
            return found is not None and found[2]
    return False


def _making(body: list[ast.stmt], asked: bool = False) -> tuple[list[ast.stmt], int, bool] | None:
    """The block in which the object is made, which of its statements does that, and whether under a test."""
    for at, statement in enumerate(body):
        match statement:
            case ast.Assign(value=ast.Call(func=ast.Attribute(attr=name))) if name == _NEW:
                return body, at, asked
        for _, block, _ in blocks(statement):
            found = _making(block, asked or isinstance(statement, ast.If))
            if found is not None:
                return found
    return None


def _further_names(statement: ast.stmt, names: set[str]) -> list[str]:
    """``cls._instance = self``."""
    match statement:
        case ast.Assign(targets=targets, value=value) if dotted(value) in names:
            return [path for target in targets if (path := dotted(target))]
    return []


def _stores(statement: ast.stmt, names: set[str]) -> bool:
    """Whether a statement stores in attributes of the object."""
    return any(
        isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and dotted(each.value) in names
        for each in walk(statement)
    ) and not any(isinstance(each, ast.Return) for each in walk(statement))


def _arguments(new: ast.FunctionDef) -> ast.arguments:
    given = new.args
    own = ast.copy_location(ast.arg("self"), given.args[0])
    return ast.arguments(
        given.posonlyargs,
        [own, *given.args[1:]],
        given.vararg,
        given.kwonlyargs,
        given.kw_defaults,
        given.kwarg,
        given.defaults,
    )


def _renamed(statement: ast.stmt, names: set[str], cls: str) -> ast.stmt:
    """A statement with the name that a method has for its object, and so for its class."""
    for node in list(walk(statement)):
        if isinstance(node, ast.Attribute) and dotted(node.value) in names:
            node.value = ast.copy_location(ast.Name("self", ast.Load()), node.value)
        elif isinstance(node, ast.Name) and (node.id in names or node.id == cls):
            node.id = "self"
    return statement
