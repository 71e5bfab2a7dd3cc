"""Loaders that never come to an end by themselves: one iterator, with its workers, is all there is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.library.arguments import given_for
from dlint.knowledge.epochs import BATCHES, BATCHES_TAKE
from dlint.knowledge.loading import is_iterable_dataset
from dlint.loaders.iteration import Iteration, Iterations
from dlint.source.nodes import walk
from dlint.source.statements import last_name, statements_in
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.functions import is_generator
from dlint.values.places import loops_that_repeat, places_around
from dlint.values.values import External, Function, Instance, Made, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.loaders import Loader
    from dlint.program.program import Program

# Functions, one inside another, and calls of calls, that are looked at.
_FAR = 4
_COUNTS = frozenset({"itertools.count", "itertools.cycle"})
# What ends with the shortest, or where it is told to.
_ENDS = frozenset({"zip", "islice", "takewhile"})


def keeps_workers(program: Program, loader: Loader) -> bool:
    """Whether a loader's workers surely stay: it is told to keep them, or its sampler, or the stream that it
    reads, never ends, and nothing is seen to leave an iterator over it for another."""
    mark = ("keeps workers", id(loader.call), id(loader.point.frame))
    if mark not in program.answers:
        program.answers[mark] = loader.keeps_workers or (
            _never_ends(program.evaluator, loader) and not _is_begun_again(program, loader)
        )
    return bool(program.answers[mark])


def _never_ends(evaluator: Evaluator, loader: Loader) -> bool:
    ways = loader.ways("sampler", "batch_sampler", "dataset")
    evaluator.start()
    return bool(ways) and all(
        any(
            value is not None and _is_endless(evaluator, value, world, 0)
            for value in (way["sampler"], way["batch_sampler"], _stream(evaluator, way["dataset"]))
        )
        for way, world in ways
    )


def _stream(evaluator: Evaluator, dataset: Value | None) -> Value | None:
    """A dataset that its workers go through as it comes, and not by the numbers of a sampler."""
    is_stream = isinstance(dataset, Instance) and any(
        map(is_iterable_dataset, evaluator.classes.libraries(dataset.cls))
    )
    return dataset if is_stream else None


def _is_endless(evaluator: Evaluator, value: Value, world: World, far: int) -> bool:
    """Whether going through an object surely never comes to an end."""
    methods = evaluator.classes.methods(value, "__iter__") if isinstance(value, Instance) else []
    if not methods:
        return _batches_are(evaluator, value, world, far)
    return all(_function_is(evaluator, each, None, None, far) for each in methods)


def _batches_are(evaluator: Evaluator, value: Value, world: World, far: int) -> bool:
    """Whether the library's batch sampler, or an object of a class derived from it, is given a sampler that
    never ends."""
    given: list[Arguments] = []
    if isinstance(value, Made) and value.name == BATCHES and value.arguments is not None:
        given.append(value.arguments)
    elif isinstance(value, Instance):
        above = evaluator.initialisers.of_libraries(value)
        given += [up for library, up in above if library == BATCHES]
    return bool(given) and far < _FAR and all(_surely_gets(evaluator, each, world, far) for each in given)


def _surely_gets(evaluator: Evaluator, given: Arguments, world: World, far: int) -> bool:
    """Whether a batch sampler is surely given a sampler that never ends."""
    samplers, without = given_for(evaluator, given, "sampler", BATCHES_TAKE, world)
    return bool(samplers) and not without and all(_is_endless(evaluator, s, w, far + 1) for s, w in samplers)


def _function_is(
    evaluator: Evaluator, function: Function, call: ast.Call | None, at: Point | None, far: int
) -> bool:
    """Whether a function gives what never ends: it is a generator that its statements never leave, or
    returns nothing else."""
    node = function.node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or far > _FAR:
        return False
    given = arguments_of(call, at) if call is not None and at is not None else None
    asks = _Asks(evaluator, evaluator.calls.enter(function, given, call, at), far)
    returns = [each for each in statements_in(node.body) if isinstance(each, ast.Return)]
    if is_generator(node):
        return not returns and asks.never_leaves(node.body)
    return bool(returns) and all(
        each.value is not None and asks.goes_on(each.value, each) for each in returns
    )


class _Asks:
    """What is asked of the body of one function."""

    def __init__(self, evaluator: Evaluator, frame: Frame, far: int) -> None:
        self._evaluator = evaluator
        self._frame = frame
        self._far = far

    def never_leaves(self, block: list[ast.stmt]) -> bool:
        """Whether control that comes to a block never comes to its end."""
        return any(self._holds(statement) for statement in block)

    def _holds(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Expr(value=ast.YieldFrom(value=source)):
                return self.goes_on(source, statement)
            case ast.While(test=ast.Constant(value=test), body=body):
                return bool(test) and not _is_left(body)
            case ast.For(iter=source, body=body):
                return not _is_left(body) and self.goes_on(source, statement)
            case ast.If(body=body, orelse=orelse):
                return self.never_leaves(body) and self.never_leaves(orelse)
            case ast.With(body=body):
                return self.never_leaves(body)
        return False

    def goes_on(self, node: ast.expr, statement: ast.stmt) -> bool:
        """Whether an expression stands for what never ends."""
        point = Point(self._frame, statement)
        match node:
            case ast.Name(id=name):
                set_by = [each for each, _ in self._evaluator.flow.definitions(name, point, HERE)]
                return bool(set_by) and all(
                    isinstance(each, ast.Assign)
                    and len(each.targets) == 1
                    and isinstance(each.targets[0], ast.Name)
                    and self.goes_on(each.value, each)
                    for each in set_by
                )
            case ast.GeneratorExp(generators=[ast.comprehension(iter=source), *_]):
                return self.goes_on(source, statement)
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__iter__")):
                receiver = self._frame.receiver
                return receiver is not None and _batches_are(self._evaluator, receiver, HERE, self._far)
            case ast.Call():
                callees = self._evaluator.values(node.func, point)
                return bool(callees) and all(self._gives(callee, node, statement) for callee, _ in callees)
        return self._is(node, point)

    def _is(self, node: ast.expr, point: Point) -> bool:
        values = self._evaluator.values(node, point)
        return bool(values) and all(
            _is_endless(self._evaluator, each, world, self._far + 1) for each, world in values
        )

    def _gives(self, callee: Value, call: ast.Call, statement: ast.stmt) -> bool:
        """Whether a call of something gives what never ends."""
        point = Point(self._frame, statement)
        if isinstance(callee, Function):
            return _function_is(self._evaluator, callee, call, point, self._far + 1)
        match callee, call.args:
            case External(name=name), _ if name in _COUNTS:
                return True
            case External(name="itertools.islice"), [source, _, ast.Constant(value=None), *_]:
                return self.goes_on(source, statement)
            case External(name="builtins.map" | "builtins.filter"), [_, source]:
                return self.goes_on(source, statement)
            case External(name="builtins.iter" | "builtins.enumerate"), [source, *_]:
                return self.goes_on(source, statement)
        return self._is(call, point)


def _is_left(body: list[ast.stmt]) -> bool:
    """Whether a statement in the body of a loop may leave it."""
    return any(isinstance(each, ast.Break | ast.Return) for each in statements_in(body))


def _is_begun_again(program: Program, loader: Loader) -> bool:
    """Whether a pass over an endless loader is seen that is left, and begun again."""
    iterations = Iterations(program)
    files = {loader.module.relative, *program.boundaries.importers(loader.module.relative)}
    return any(
        each.loader.call is loader.call and _may_end(each) and _comes_again(program, each.point, 0)
        for module in program.modules.each(sorted(files))
        for each in iterations.in_module(module)
    )


def _may_end(iteration: Iteration) -> bool:
    """Whether a pass may be left before the loader ends, which it never does."""
    if any(place.role == "handler" for place in places_around(iteration.point)):
        return False  # begun again where it has ended
    statement = iteration.point.statement
    if not isinstance(statement, ast.For) or not iteration.is_loop:
        return True
    calls = [each for each in walk(statement.iter) if isinstance(each, ast.Call)]
    return _is_left(statement.body) or any(last_name(each.func) in _ENDS for each in calls)


def _comes_again(program: Program, point: Point, far: int) -> bool:
    """Whether a loop comes to a place, or to a call that leads there, again."""
    if any(True for _ in loops_that_repeat(point)):
        return True
    scope = point.frame.scope
    return (
        isinstance(scope, ast.FunctionDef)
        and far < _FAR
        and any(
            _comes_again(program, site.point, far + 1)
            for site in program.evaluator.sites.of(scope, point.frame)
        )
    )
