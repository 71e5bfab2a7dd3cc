"""Iterators that search for one thing: by which tests, and whether it is known to be there."""

from __future__ import annotations

import ast

from dlint.program.let_out import ENTRIES
from dlint.program.program import Program
from dlint.source.nodes import walk
from dlint.source.statements import dotted, parameters, self_name
from dlint.streams.items.names import index_names_in, is_index, mentions
from dlint.values.frame import Point
from dlint.values.functions import passed
from dlint.values.worlds import HERE, World
from dlint.workers.events import Event
from dlint.workers.reach import Link

_MATCHES = frozenset({"startswith", "endswith", "match", "fullmatch", "search", "fnmatch"})
_EXISTS = frozenset({"exists", "is_file", "isfile", "is_dir", "isdir"})
_SIZES = frozenset({"shape", "size", "width", "height"})
_FAR = 3  # variables that are made of variables


def searches_of(program: Program, source: ast.expr, point: Point, world: World) -> list[list[ast.expr]]:
    """The tests by which something searches for what it gives, for each thing that it may be; nothing where
    it may be anything else."""
    match source:
        case ast.GeneratorExp(generators=generators):
            return [[test for generator in generators for test in generator.ifs]]
        case ast.Call(func=ast.Name(id="filter"), args=[ast.Lambda(body=test), _]):
            return [[test]]
        case ast.Call(func=ast.Name(id="iter"), args=[ast.GeneratorExp() as sought]):
            return searches_of(program, sought, point, world)
        case ast.Name(id=name) if name in point.frame.layout.binds:
            found: list[list[ast.expr]] = []
            for statement, w in program.evaluator.flow.definitions(name, point, world):
                match statement:
                    case ast.Assign(targets=[ast.Name()], value=ast.GeneratorExp() | ast.Call() as value) if (
                        searched := searches_of(program, value, Point(point.frame, statement), w)
                    ):
                        found += searched
                    case _:
                        return []
            return found
    return []


def are_for_unsure(program: Program, searches: list[list[ast.expr]], event: Event) -> bool:
    """Whether all searches of an event are for what need not be there: none is for a place by its number, or
    looks up what is known to be."""
    frame = event.point.frame
    given = (
        frozenset(p.arg for p in parameters(frame.scope)) - _sizes(program, event.link)
        if isinstance(frame.scope, ast.FunctionDef)
        else frozenset()
    )
    index = index_names_in(frame, ENTRIES)
    return all(
        bool(tests)
        and (_is_limited(tests) or not any(map(_looks_up, tests)))
        and not any(_finds_place(test, given, index) for test in tests)
        for tests in searches
    )


def _finds_place(test: ast.expr, given: frozenset[str], index: frozenset[str]) -> bool:
    """Whether a test compares the index itself with limits (``index < self.ends[k]``), or what a function
    is ``given`` with an element: the search for its place among them."""
    for node in walk(test):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if all(isinstance(side, ast.Name) for side in sides) and any(mentions(s, given) for s in sides):
                return True
            if any(is_index(side, index) for side in sides) and not any(map(_measures, sides)):
                return True
    return False


def _sizes(program: Program, link: Link) -> frozenset[str]:
    """The parameters of the function that a reach comes to last, to which its caller gives how large
    something is: what an item is tells it, and no index does."""
    function, caller = link.function, link.caller
    if function is None or caller is None or not isinstance(link.site, ast.Call):
        return frozenset()
    given, index = passed(function, link.site), index_names_in(caller.frame, ENTRIES)
    return frozenset(
        name for name, each in given.items() if not mentions(each, index) and _is_size(program, each, caller)
    )


def _is_size(program: Program, node: ast.expr, point: Point, far: int = 0) -> bool:
    """Whether something surely is a size of something, or made of one: ``max(image.shape)``."""
    if isinstance(node, ast.Name) and node.id in point.frame.layout.binds and far < _FAR:
        made = [each for each, _ in program.evaluator.flow.definitions(node.id, point, HERE)]
        return bool(made) and all(
            isinstance(each, ast.Assign) and _is_size(program, each.value, Point(point.frame, each), far + 1)
            for each in made
        )
    own = self_name(point.frame.scope) if isinstance(point.frame.scope, ast.FunctionDef) else None
    return any(
        isinstance(each, ast.Attribute)
        and each.attr in _SIZES
        and (dotted(each) or "").partition(".")[0] != own
        for each in walk(node)
    )


def _measures(side: ast.expr) -> bool:
    """Whether one side of a comparison is worked out from an element: no limit that is kept."""
    return any(isinstance(node, ast.Call) and dotted(node.func) != "len" for node in walk(side))


def _looks_up(test: ast.expr) -> bool:
    """Whether a test compares with ``==``, ``in`` or ``is``, or a name with a pattern, or asks whether a file
    is there: the search for what is known to be."""
    return any(
        isinstance(operator, ast.Eq | ast.In | ast.Is | ast.IsNot | ast.NotEq)
        for node in walk(test)
        if isinstance(node, ast.Compare)
        for operator in node.ops
    ) or any(
        isinstance(node, ast.Call) and _last_name(node.func) in _MATCHES | _EXISTS for node in walk(test)
    )


def _last_name(func: ast.expr) -> str | None:
    match func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None


def _is_limited(tests: list[ast.expr]) -> bool:
    """Whether a search takes those of a kind alone, a constant, that also reach a limit, a
    number: ``b["kind"] == 1 and b["area"] > 32``. That there are some of a kind does not say that one of them
    does."""
    parts = [
        part
        for test in tests
        for part in (test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test])
    ]
    keys = [part for part in parts if _looks_up(part)]
    return any(map(_reaches_number, parts)) and all(
        isinstance(key, ast.Compare)
        and isinstance(key.ops[0], ast.Eq)
        and any(isinstance(side, ast.Constant) for side in (key.left, *key.comparators))
        for key in keys
    )


def _reaches_number(test: ast.expr) -> bool:
    """Whether what an element has is compared with a number; one with 0 only says that it has some."""
    match test:
        case ast.Compare(
            left=ast.Subscript() | ast.Attribute(),
            ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()],
            comparators=[ast.Constant(value=int() | float() as limit)],
        ):
            return bool(limit)
    return False
