"""A generator that an object is given, or makes where it is given none: the attribute that keeps it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from dlint.finding import Finding
from dlint.program.program import Program
from dlint.rewriting.counterparts import Counterparts
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.source import Source
from dlint.source.closures import trail_to
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import functions_in, parameters
from dlint.values.values import Made as MadeValue
from dlint.values.values import Unknown, Value

# The classes of generators, and methods that no other kind has.
_CLASSES = {
    "numpy.random.default_rng": ("Generator", frozenset({"integers", "permuted", "spawn"})),
    "numpy.random.Generator": ("Generator", frozenset({"integers", "permuted", "spawn"})),
    "numpy.random.RandomState": (
        "RandomState",
        frozenset({"rand", "randint", "randn", "random_sample", "tomaxint"}),
    ),
    "random.Random": (
        "Random",
        frozenset({"betavariate", "choices", "gauss", "getrandbits", "randrange", "sample"}),
    ),
}


# What may be one that is made elsewhere.
_GIVEN = (ast.Name, ast.BoolOp, ast.IfExp, ast.Call)


class Given(NamedTuple):
    """Where a generator is kept: ``statement`` stores it in a method, and ``kind`` makes such ones."""

    source: Source
    statement: cst.Assign | cst.AnnAssign
    kind: str


def given_at(source: Source, program: Program, finding: Finding) -> Given | None:
    """The one attribute that keeps what the finding points at, of a kind that is known; None where there is
    no such one."""
    home = source.surroundings.module(source)
    found = [
        (module, trail, kind)
        for module in _near(program, home)
        for trail in _stores(module)
        if (kind := _kind(program, module, trail, home, finding)) is not None
    ]
    if len(found) != 1:
        return None
    module, trail, kind = found[0]
    there = source if module is home else source.surroundings.open(module.relative)
    kinds = (cst.Assign, cst.AnnAssign)
    statement: cst.Assign | cst.AnnAssign = Counterparts(there, module).of(trail[-1], there.module, *kinds)
    return Given(there, statement, kind)


def _near(program: Program, home: Module) -> Iterator[Module]:
    boundaries = program.boundaries
    yield home
    for relative in sorted({*boundaries.imports(home.relative), *boundaries.importers(home.relative)}):
        module = program.modules.get(relative)
        if module is not None and relative != home.relative:
            yield module


def _stores(module: Module) -> Iterator[list[ast.AST]]:
    """The ways down to the statements by which methods store in attributes of their object."""
    for cls in walk(module.tree):
        if not isinstance(cls, ast.ClassDef):
            continue
        for method in functions_in(cls.body):
            own = parameters(method)[:1]
            for node in walk(method):
                match node:
                    case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))], value=value):
                        if own and own[0].arg == name and isinstance(value, _GIVEN):
                            trail = trail_to(module.tree, node)
                            if trail is not None:
                                yield trail


def _kind(
    program: Program, module: Module, trail: list[ast.AST], home: Module, finding: Finding
) -> str | None:
    """Of what kind of generators a statement stores one, where the finding's is among them."""
    statement = trail[-1]
    assert isinstance(statement, ast.Assign)
    target = statement.targets[0]
    assert isinstance(target, ast.Attribute)
    point = program.evaluator.sites.point_of(module, trail)
    values = [value for value, _ in program.evaluator.values(statement.value, point)]
    if not any(_is_found(value, home, finding) for value in values):
        return None
    names = {value.name for value in values if isinstance(value, MadeValue)}
    classes = {_CLASSES[name][0] for name in names if name in _CLASSES}
    if len(classes) != 1 or not names <= _CLASSES.keys():
        return None
    name = next(iter(names - {"numpy.random.Generator"}), "numpy.random.default_rng")
    for value in values:
        if isinstance(value, Unknown) and not _is_said(trail, target.attr, name):
            return None
        if not isinstance(value, MadeValue | Unknown):
            return None
    return name


def _is_found(value: Value, home: Module, finding: Finding) -> bool:
    if not isinstance(value, MadeValue) or value.point.frame.module is not home:
        return False
    node = value.node
    return (
        isinstance(node, ast.expr)
        and node.lineno == finding.line
        and home.column(node.lineno, node.col_offset) == finding.column
    )


def _is_said(trail: list[ast.AST], attribute: str, name: str) -> bool:
    """Whether a class that may be given anything is written for generators of a kind: by what it says of its
    parameters, or by a method that no other kind has."""
    kind, own = _CLASSES[name]
    cls = next(each for each in reversed(trail) if isinstance(each, ast.ClassDef))
    method = next(each for each in reversed(trail) if isinstance(each, ast.FunctionDef))
    hints = [ast.unparse(each.annotation) for each in parameters(method) if each.annotation is not None]
    if any(re.search(rf"\b{kind}\b", hint) for hint in hints):
        return True
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in own
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == attribute
        for node in walk(cls)
    )


def maker(source: Source, edits: Edits, kind: str) -> cst.Call:
    """The call that makes such generators, as a file can say it."""
    if kind == "random.Random":
        text = f"{name_for(source, edits, 'random', 'random')}.Random"
    else:
        made = kind.rpartition(".")[2].replace("Generator", "default_rng")
        text = f"{name_for(source, edits, 'numpy', 'np')}.random.{made}"
    call = statements.expression(f"{text}()")
    assert isinstance(call, cst.Call)
    return call
