"""How the class of a function can move to its module: where it takes nothing from the function, and means the
same when it is made once, and earlier."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from dlint.changes.hoisting.around import Stays
from dlint.source.closures import bindings, owner, trail_to
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, parameters

_BY_HAND = "define the class at module level; what it takes from the function becomes arguments"


def check_class(module: Module, trail: Sequence[ast.AST]) -> None:
    """Raise :class:`Stays` unless the class at the end of a trail can stand right before the statement of the
    module that it stands in."""
    cls, around = trail[-1], trail[-2]
    assert isinstance(cls, ast.ClassDef)
    if not isinstance(around, FunctionNode) or cls not in around.body:
        raise Stays(f"{cls.name} is made on a condition", _BY_HAND)
    if any(isinstance(node, ast.Global | ast.Nonlocal) for node in walk(around)):
        raise Stays(f"{cls.name} is not always this class", _BY_HAND)
    if cls.decorator_list:
        raise Stays(f"{cls.name} is decorated", _BY_HAND)
    _check_name(module, cls, around)
    for statement in cls.body:
        if not _is_made_alike(statement):
            raise Stays(f"each {cls.name} has attributes of its own", _BY_HAND)
    depth = len(trail) - 2
    own = (each.name for each in bindings(cls))
    above = {*_bound_above(module, trail[1]), *own, *dir(builtins)}
    early = {id(name) for node in _read_at_once(cls) for name in walk(node)}
    for name in (each for each in walk(cls) if isinstance(each, ast.Name)):
        if isinstance(name.ctx, ast.Load) and name.id != cls.name:
            found = trail_to(module.tree, name)
            index = owner(name.id, found) if found is not None else 0
            if index is not None and index <= depth:
                raise Stays(f"{cls.name} uses {name.id} of the function around it", _BY_HAND)
            if index is None and id(name) in early and name.id not in above:
                raise Stays(f"{cls.name} needs {name.id}, which is not there before", _BY_HAND)


def _check_name(module: Module, cls: ast.ClassDef, around: ast.AST) -> None:
    name = cls.name
    if [each.name for each in bindings(around)].count(name) != 1:
        raise Stays(f"{name} is not always this class", _BY_HAND)
    if name in {each.name for each in bindings(module.tree)} or hasattr(builtins, name):
        raise Stays(f"the module has another {name}", _BY_HAND)
    for node in walk(module.tree):
        match node:
            case ast.Name(id=found) if found == name and isinstance(node.ctx, ast.Load):
                trail = trail_to(module.tree, node)
                if trail is not None and owner(name, trail) is None:
                    raise Stays(f"the module has another {name}", _BY_HAND)
            case ast.Attribute(value=ast.Name(id=found), ctx=ast.Store() | ast.Del()) if found == name:
                raise Stays(f"attributes of {name} are set, which all would share", _BY_HAND)
            case ast.Call(func=ast.Name(id="setattr" | "vars" | "locals"), args=given):
                if not given or any(isinstance(each, ast.Name) and each.id == name for each in given):
                    raise Stays(f"{name} may be seen by its name", _BY_HAND)
    for node in walk(cls):
        match node:
            case ast.Attribute(value=ast.Name(id="cls"), ctx=ast.Store() | ast.Del()):
                raise Stays(f"{name} sets attributes of its own class, which all would share", _BY_HAND)
            case ast.Attribute(attr="__class__") | ast.Name(id="__class__" | "type"):
                raise Stays(f"{name} asks for its class", _BY_HAND)


def _is_made_alike(statement: ast.stmt) -> bool:
    """Whether a statement of the class's body makes the same each time, and nothing that changes."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            given = statement.args
            defaults = [*given.defaults, *(each for each in given.kw_defaults if each is not None)]
            return all(map(_is_fixed, defaults))
        case ast.Assign(value=value):
            return _is_fixed(value)
        case ast.AnnAssign(value=value):
            return value is None or _is_fixed(value)
    return False


def _is_fixed(node: ast.expr) -> bool:
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.Tuple(elts=parts):
            return all(map(_is_fixed, parts))
        case ast.UnaryOp(operand=operand):
            return _is_fixed(operand)
        case ast.Attribute(value=value):
            return _is_fixed(value)
    return False


def _read_at_once(cls: ast.ClassDef) -> Iterator[ast.AST]:
    """What is evaluated when the class is made."""
    yield from (*cls.bases, *cls.keywords)
    for statement in cls.body:
        if isinstance(statement, FunctionNode):
            given = statement.args
            yield from (*statement.decorator_list, *given.defaults)
            yield from (each for each in (*given.kw_defaults, statement.returns) if each is not None)
            yield from (each.annotation for each in parameters(statement) if each.annotation is not None)
        else:
            yield statement


def _bound_above(module: Module, top: ast.AST) -> Iterator[str]:
    """The names that the module surely has before one of its statements."""
    for statement in module.tree.body:
        if statement is top:
            return
        match statement:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for each in names:
                    yield each.asname or each.name.partition(".")[0]
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (each.id for each in targets if isinstance(each, ast.Name))
