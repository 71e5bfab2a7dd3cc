"""Where a program asks an object of its own for the next thing: a loop over it in each round, or ``next``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.calls.evaluator import Evaluator
from dlint.calls.site import Site
from dlint.source.statements import dotted, last_name, self_name, statements_in
from dlint.values.frame import Arguments, Point
from dlint.values.functions import is_generator
from dlint.values.values import Class, Instance

_BESIDE = frozenset({"enumerate", "zip", "tqdm", "track"})
# So many files are looked at that name the class; those behind are not.
_MOST_FILES = 24


def steps_of(evaluator: Evaluator, method: ast.FunctionDef, owner: Class) -> Iterator[Site]:
    """The places where a ``__next__`` runs, each as the call of it that this is."""
    modules = evaluator.modules
    files = [each for each in modules.index.mentioning(owner.name) if not modules.index.is_test(each)]
    for module in modules.each(sorted(files, key=lambda each: each != owner.module.relative)[:_MOST_FILES]):
        for trail in module.trails_at(module.lines_with("for")):
            loop = trail[-1]
            if isinstance(loop, ast.For):
                inside = evaluator.sites.point_of(module, trail)
                for through in _gone_through(loop.iter):
                    if _steps(evaluator, through, inside, method, by_loop=True):
                        yield _site(through, Point(inside.frame, loop.body[0]))
        for trail in module.paths_to("next", called=True):
            match trail[-2]:
                case ast.Call(args=[through, *_]) as call if call.func is trail[-1]:
                    point = evaluator.sites.point_of(module, trail)
                    if dotted(through) is not None and _steps(
                        evaluator, through, point, method, by_loop=False
                    ):
                        yield _site(through, point)


def _gone_through(through: ast.expr) -> Iterator[ast.expr]:
    """What a loop takes the next thing of in each of its rounds."""
    if dotted(through) is not None:
        yield through
    elif isinstance(through, ast.Call):
        name = last_name(through.func)
        if name not in _BESIDE:
            yield through
        for each in through.args if name in _BESIDE else ():
            yield from _gone_through(each)


def _site(asked: ast.expr, point: Point) -> Site:
    return Site(ast.copy_location(ast.Call(asked, [], []), asked), point, Arguments())


def _steps(
    evaluator: Evaluator, through: ast.expr, point: Point, method: ast.FunctionDef, *, by_loop: bool
) -> bool:
    """Whether an expression is an object that gives what a method gives, be it to a loop over it."""
    evaluator.start()
    return any(
        isinstance(value, Instance)
        and any(each.node is method for each in evaluator.classes.methods(value, "__next__"))
        and (not by_loop or _is_own_iterator(evaluator, value))
        for value, _ in evaluator.values(through, point)
    )


def _is_own_iterator(evaluator: Evaluator, value: Instance) -> bool:
    """Whether an object is what its ``__iter__`` gives."""
    methods = evaluator.classes.methods(value, "__iter__")
    return bool(methods) and all(
        isinstance(each.node, ast.FunctionDef)
        and not is_generator(each.node)
        and all(
            isinstance(statement.value, ast.Name) and statement.value.id == self_name(each.node)
            for statement in statements_in(each.node.body)
            if isinstance(statement, ast.Return)
        )
        for each in methods
    )
