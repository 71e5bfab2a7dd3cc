"""The loops that call a function for every batch, and what they tell it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from dlint.calls.entered import Chain, entered
from dlint.calls.implicit_calls import calls_of_held_object
from dlint.calls.parameters.written import default_of
from dlint.calls.site import Site
from dlint.loaders.every_round import lets_through, tests_in
from dlint.loaders.iteration import Iterations
from dlint.loaders.loaders import Loader
from dlint.loaders.restarted.other_each_round import binds, is_another_each_round, only_calls_methods
from dlint.loaders.restarted.rounds import is_bound, is_epoch_loop, is_short, speaks_of_epochs
from dlint.program.program import Program
from dlint.program.restarted.fresh_workers import loader_at
from dlint.program.restarted.steps import steps_of
from dlint.source.nodes import walk
from dlint.source.restarts import base_of
from dlint.source.statements import given_in, own_names, parameters, statements_in, target_names
from dlint.values.frame import Point
from dlint.values.methods import is_property
from dlint.values.places import loops_around, loops_that_repeat, places_around, tests_around
from dlint.values.values import Const

_FAR = 1
# What makes an iterator each time that it is called.
Called: TypeAlias = ast.FunctionDef | ast.Lambda


def calling_loops(
    program: Program,
    iterations: Iterations,
    function: Called,
    point: Point,
    loader: Loader,
    keys: frozenset[str],
    counted: str | None = None,
    inner: Chain = (),
) -> Iterator[tuple[Site, ast.For | ast.While, Chain]]:
    """The calls of a function, or of those that call it, that a loop makes for every batch, with the loop and
    the calls from there on.
    ``keys`` are the parameters by which it is told which of several loaders to take from: that must be the
    same one again; ``counted`` the one that says how many batches to take: that must be 1."""
    for site in _sites(program, function, point):
        scope, called = site.point.frame.scope, site.point
        if program.modules.index.is_test(called.frame.module.relative):
            continue
        if counted is not None and not is_one(program, _counted(site.call, function, counted), called):
            continue
        if _comes_after_error(called):
            continue  # now and then: what has ended is begun again
        loops, several = _round_of(site.call, [loop for loop in loops_around(called) if not is_short(loop)])
        if not loops:
            if next(tests_around(called), None) is not None:
                continue
            if isinstance(scope, ast.FunctionDef) and len(inner) < _FAR and not keys:
                chain = [(site, function), *inner]
                yield from calling_loops(program, iterations, scope, called, loader, keys, inner=chain)
            continue
        loop = loops[0]
        if all(each is not loop for each in loops_that_repeat(called)):
            continue
        if not isinstance(loop, ast.For | ast.While) or speaks_of_epochs(loop):
            continue
        if not all(lets_through(test.node, test.wanted, loop, called) for test in tests_in(loop, called)):
            continue
        given = given_in(site.call)
        handed = [node for node in given if base_of(node) is not None and iterations.is_loader(node, called)]
        if handed and all(loader_at(program, iterations, node, called) is None for node in handed):
            continue
        if any(is_another_each_round(program.evaluator, iterations, loop, node, called) for node in given):
            continue
        if any(node is loader.call for node in walk(loop)) or is_epoch_loop(
            loop, called, iterations, function
        ):
            continue
        told = list(_told(site.call, function, keys))
        if not all(isinstance(each, ast.Constant | ast.Name) for each in told):
            continue
        parts = {
            node.id for each in (site.call.func, *told) for node in walk(each) if isinstance(node, ast.Name)
        }
        parts -= {name for each in several for name in target_names(each.target)}
        bound = parts & called.frame.layout.bound_by(loop)
        if any(not only_calls_methods(program.evaluator, loop, name, called) for name in bound) or any(
            binds(program.evaluator, loop, node, called)
            for node in (*handed, *(each.iter for each in several))
        ):
            continue
        yield site, loop, [(site, function), *inner]


def _comes_after_error(point: Point) -> bool:
    """Whether a handler of an error is what the innermost loop around a place comes to."""
    for place in places_around(point):
        if isinstance(place.owner, ast.ExceptHandler):
            return True
        if isinstance(place.owner, ast.For | ast.While):
            return False
    return False


def loader_there(
    program: Program, iterations: Iterations, source: ast.expr, chain: Chain, point: Point, loader: Loader
) -> Loader | None:
    """The loader that calls have started again, which is the one of all callers where it is not known what
    those do."""
    points = entered(program.evaluator, chain, point.statement)
    found = (loader_at(program, iterations, source, each) for each in points)
    return next(filter(None, found), None) if points else loader


def _round_of(call: ast.Call, loops: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.For]]:
    """Of the loops around a call, those that come back to the same function, and those inside, which call it
    on one object after the other (``for hook in self.hooks: hook.after_step()``)."""
    holder, several = call.func, list[ast.For]()
    while isinstance(holder, ast.Attribute | ast.Subscript):
        holder = holder.value
    for at, loop in enumerate(loops):
        if not isinstance(loop, ast.For) or not is_bound(holder, loop.target):
            return loops[at:], several
        several.append(loop)
        holder = loop.iter
        while isinstance(holder, ast.Attribute | ast.Subscript):
            holder = holder.value
    return [], several


def _sites(program: Program, function: Called, point: Point) -> list[Site]:
    """The calls of a function; of a property, the places that read it, and of a ``__next__`` those that go
    on by it as well."""
    sites, owner = program.evaluator.sites, point.frame.owner
    if isinstance(function, ast.Lambda):
        return sites.of_lambda(function, point.frame)
    if owner is not None and function.name == "__call__":
        found = sites.of(function, point.frame)
        held = calls_of_held_object(program.evaluator, function, owner)
        return [*found, *(each for each in held if all(each.call is not other.call for other in found))]
    if owner is not None and function.name == "__next__":
        return [*sites.of(function, point.frame), *steps_of(program.evaluator, function, owner)]
    if owner is not None and is_property(function):
        return sites.reading(function, owner)
    return sites.of(function, point.frame)


def keys_of(source: ast.expr, function: Called) -> frozenset[str] | None:
    """The parameters of a function that pick one of several loaders: ``self.loaders[key]``; None where
    something else may."""
    told: list[ast.expr]
    match source:
        case ast.Subscript(slice=ast.Name() | ast.Constant() as key):
            told = [key]
        case ast.Call(args=args, keywords=keywords):
            told = [*args, *(keyword.value for keyword in keywords)]
        case ast.Subscript():
            return None
        case _:
            return frozenset()
    names = {node.id for each in told for node in walk(each) if isinstance(node, ast.Name)} - {"self"}
    body = function.body if isinstance(function, ast.FunctionDef) else []
    bound = {name for statement in statements_in(body) for name in own_names(statement)}
    if names & bound:
        return None
    return frozenset(names) if names <= {each.arg for each in parameters(function)} else None


def _told(call: ast.Call, function: Called, keys: frozenset[str]) -> Iterator[ast.expr]:
    """What a call gives to some parameters of a function; and what it may, where that is not written."""
    if not keys:
        return
    names = [each.arg for each in parameters(function)]
    if isinstance(call.func, ast.Attribute) and names[:1] == ["self"]:
        del names[0]
    if any(isinstance(each, ast.Starred) for each in call.args) or any(
        not each.arg for each in call.keywords
    ):
        yield from given_in(call)
        return
    yield from (each for name, each in zip(names, call.args, strict=False) if name in keys)
    yield from (ast.Starred(each.value) for each in call.keywords if each.arg is None)
    yield from (each.value for each in call.keywords if each.arg in keys)


def _counted(call: ast.Call, function: Called, name: str) -> list[ast.expr]:
    """What a call gives to a parameter, or its default."""
    told = list(_told(call, function, frozenset({name})))
    default = default_of(name, function)
    return told or ([default] if isinstance(default, ast.Constant) else [])


def is_one(program: Program, counts: list[ast.expr], point: Point) -> bool:
    """Whether something surely is the number 1, which an option is only by default."""
    values = [value for each in counts for value, _ in program.evaluator.values(each, point)]
    return bool(values) and all(isinstance(value, Const) and value.value == 1 for value in values)
