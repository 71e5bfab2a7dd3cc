"""The loop over the epochs around what goes through a loader, and what the loader is called there."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dlint.calls.site import Site
from dlint.knowledge.epochs import HOW_OFTEN, RUNS_EPOCHS, names_evaluation, speaks_of_evaluation
from dlint.loaders.iteration import Iteration, Iterations
from dlint.loaders.loaders import Loader
from dlint.loaders.program import Program
from dlint.loaders.training import evaluates, is_without_gradients, trains_nothing_by
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import dotted, given_in, own_names, statements_in, target_names
from dlint.values.frame import Point
from dlint.values.places import loops_around, loops_that_repeat, path_to, places_around
from dlint.values.values import External, Key

_FAR = 4
_EPOCH = regex(r"epoch", re.IGNORECASE)
_SEVERAL = (
    "several loops go through the loader: number the epochs from the first to the last, and call "
    "set_epoch(number) on the sampler before each pass"
)
_EACH = (
    "{} and {} have such a sampler each: call set_epoch(epoch) on both at the top of the loop over the epochs"
)
_BY_EVENT = (
    "have the engine tell it: call sampler.set_epoch(engine.state.epoch) in a handler of Events.EPOCH_STARTED"
)
_WRITTEN = (
    "the epochs are counted within the expression in line {}: write a loop, and call set_epoch(epoch) on the "
    "sampler at its top"
)
_COUNT = "count every pass over the loader, and call set_epoch with that number before each"


class EpochLoop(NamedTuple):
    """The loop in which a loader is gone through once a round; None where no loop is sure to be that, and
    then ``by_hand`` says why and what to do. ``loader`` is the loader's expression there (``self.loader``),
    None where it has no name that the loop sees; ``sure`` where it is that loader on every way; ``look`` is
    the loop in whose rounds one batch is taken and no more, be that in vain; ``loaders`` are the objects that
    the expression may be, as far as they are known, and ``sites`` the calls of the function that makes them
    (None among these: any call of it)."""

    module: Module
    loop: ast.stmt | None
    loader: str | None
    sure: bool
    by_hand: str = ""
    look: ast.stmt | None = None
    loaders: frozenset[Key] = frozenset()
    sites: frozenset[ast.AST | None] = frozenset()


def epoch_loop(
    program: Program,
    iterations: Iterations,
    iteration: Iteration,
    made: Point,
    keeps_order: Callable[[Loader], bool],
) -> EpochLoop | None:
    """The loop that runs an iteration again and again, around it or around calls that lead to it. ``made``
    is where the sampler is made; ``keeps_order`` tells of a loader that its sampler surely does not shuffle:
    one function may make those for training and for evaluation."""
    return only(list(_epoch_loops(program, iterations, iteration, made, keeps_order)))


def run_by_libraries(
    program: Program, iterations: Iterations, loader: Loader, module: Module
) -> list[EpochLoop]:
    """The calls of a module that have a library go through a loader for several epochs, none of them a loop
    that the program sees: ``Engine(step).run(loader, max_epochs=30)``."""
    index, found = program.modules.index, list[EpochLoop]()
    if not any(index.mentioning(name.partition(".")[0]) for name in RUNS_EPOCHS):
        return found
    for trail in module.paths_to("run", called=True):
        call = trail[-2]
        if not isinstance(call, ast.Call) or call.func is not trail[-1] or not _is_told_often(call):
            continue
        program.evaluator.start()
        point = program.evaluator.sites.point_of(module, trail)
        given = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "data")]
        if any(
            isinstance(value, External) and value.name in RUNS_EPOCHS
            for value, _ in program.evaluator.values(call.func, point)
        ) and any(each.call is loader.call for node in given for each in iterations.loaders_of(node, point)):
            found.append(EpochLoop(module, None, dotted(given[0]), False, _BY_EVENT))
    return found


def _is_told_often(call: ast.Call) -> bool:
    """Whether a call asks for more than one epoch, as far as that is written out."""
    often = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == HOW_OFTEN)]
    return bool(often) and not (
        isinstance(often[0], ast.Constant) and (often[0].value is None or often[0].value == 1)
    )


def only(found: list[EpochLoop]) -> EpochLoop | None:
    """The loop that all ways to iterate lead to; one without a loop where there are several. Beside a pass, a
    look at one batch in the same loop is none, be it of another loader that the same call makes."""
    passed = {id(each.loop) for each in found if each.loop is not None}
    found = [each for each in found if each.look is None or id(each.look) not in passed]
    training = [each for each in found if each.loader is None or not speaks_of_evaluation(_last(each.loader))]
    found = training or found
    first = next(iter(found), None)
    if first is None:
        return None
    if all(each.loop is first.loop for each in found):
        others = [each for each in found if each.loaders and not each.loaders & first.loaders]
        if first.loaders and others:
            names = sorted(str(each.loader) for each in (first, others[0]))
            return first._replace(loop=None, by_hand=_EACH.format(*names))
        return first
    return first._replace(loop=None, by_hand=next((each.by_hand for each in found if each.by_hand), _SEVERAL))


def is_evaluation(point: Point) -> bool:
    """Whether what stands around a point says that nothing is trained there."""
    scope = point.frame.scope
    if isinstance(scope, ast.FunctionDef) and names_evaluation(scope.name, point.frame.module.text_of(scope)):
        return True
    return is_without_gradients(point) or evaluates(point)


def _epoch_loops(
    program: Program,
    iterations: Iterations,
    iteration: Iteration,
    made: Point,
    keeps_order: Callable[[Loader], bool],
) -> Iterator[EpochLoop]:
    node = _named(iterations, iteration.node, iteration.point)
    waiting = [(iteration.point, node, iteration.node, [iteration.node], 0)]
    seen: set[int] = set()
    while waiting:
        point, node, reached, given, far = waiting.pop()
        scope = point.frame.scope
        if is_evaluation(point):
            continue
        loops = list(loops_that_repeat(point))
        written = None if loops or takes_one(iteration) else _counted_in(reached, point)
        if loops or written is not None:
            loader = dotted(node) if node is not None else None
            loaders = _loaders(program, iterations, node, point) if node is not None else []
            mine = [(key, each) for key, each in loaders if each is not None and _is_made_by(each, iteration)]
            if mine and all(keeps_order(each) for _, each in mine):
                continue
            sure = bool(loaders) and len(mine) == len(loaders)
            loop = _counting(loops)
            if written is not None:
                by_hand = _WRITTEN.format(written.lineno)
            else:
                by_hand = _obstacle(program, iteration, given, loops, loop, point, made)
            look = loop if takes_one(iteration) else None
            counted = None if by_hand else loop
            keys = frozenset(key for key, _ in mine)
            sites = frozenset(each.point.frame.site for _, each in mine)
            yield EpochLoop(point.frame.module, counted, loader, sure, by_hand, look, keys, sites)
        elif isinstance(scope, ast.FunctionDef) and id(scope) not in seen and far < _FAR:
            seen.add(id(scope))
            for site in program.evaluator.sites.of(scope, point.frame):
                if _may_pass(iterations, site, iteration.loader) and not trains_nothing_by(
                    program.evaluator, point, site
                ):
                    there = _named_at(iterations, site.call, site.point, node)
                    waiting.append((site.point, there, site.call, given_in(site.call), far + 1))


def _counted_in(node: ast.expr, point: Point) -> ast.expr | None:
    """The comprehension, or call of ``map``, that comes to an expression once for each of some numbers, or
    epochs: ``[epoch(i) for i in range(n)]``."""
    match node:
        case ast.Call(func=ast.Name(id="map"), args=[_, counted]) if _is_range(counted):
            return node
    for each in path_to(point.statement, node):
        if not isinstance(each, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        [first, *_] = each.generators
        counts = _is_range(first.iter) or any(_EPOCH.search(name) for name in target_names(first.target))
        if counts and all(inner is not node for inner in walk(first.iter)):
            return each
    return None


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) in ("range", "trange")


def _may_pass(iterations: Iterations, site: Site, loader: Loader) -> bool:
    """Whether a call can hand on a loader: it passes that one, or none that is known."""
    passed = [
        found
        for node in given_in(site.call)
        if not isinstance(node, ast.Constant | ast.Lambda)
        for found in iterations.loaders_of(node, site.point)
    ]
    return not passed or any(found.call is loader.call for found in passed)


def _loaders(
    program: Program, iterations: Iterations, node: ast.expr, point: Point
) -> list[tuple[Key, Loader | None]]:
    """The values of an expression, with the loaders that they are."""
    return [(value.key, iterations.loader(value)) for value, _ in program.evaluator.values(node, point)]


def _is_made_by(loader: Loader, iteration: Iteration) -> bool:
    """Whether a loader comes from the call that makes an iteration's."""
    return loader.call is iteration.loader.call


def _counting(loops: list[ast.stmt]) -> ast.stmt | None:
    """The loop that counts the epochs: the only one, or the only one that says so."""
    telling = [loop for loop in loops if any(_EPOCH.search(word) for word in _head(loop))]
    found = telling if telling else loops
    return found[0] if len(found) == 1 else None


def _obstacle(
    program: Program,
    iteration: Iteration,
    given: list[ast.expr],
    loops: list[ast.stmt],
    loop: ast.stmt | None,
    point: Point,
    made: Point,
) -> str:
    """Why the rounds of a loop are not the epochs of a sampler, and what to do instead; empty where they
    are. ``given`` are the expressions at the point that may be the loader."""
    if loop is None:
        return f"several loops go around line {iteration.node.lineno} and none speaks of epochs: {_COUNT}"
    at = loops.index(loop)
    if _is_of_batches(iteration, loop):
        return (
            f"the loop in line {loop.lineno} goes on from batch to batch: count how often it makes the "
            "iterator anew, and call set_epoch with that number before each time"
        )
    named = {node.id for each in given for node in walk(each) if isinstance(node, ast.Name)}
    if any(not named & set(_bound(inner)) for inner in loops[:at]):
        return f"a round of the loop in line {loop.lineno} goes through the loader more than once: {_COUNT}"
    with_it = _loops_up(program, made)
    if any(id(outer) not in with_it for outer in [*loops[at + 1 :], *loops_above(program, point)]):
        return f"the loop in line {loop.lineno} begins again with the same sampler: {_COUNT}"
    return ""


def _is_of_batches(iteration: Iteration, loop: ast.stmt) -> bool:
    """Whether a round of a loop draws a batch, and makes the iterator anew for each or where it has run
    out."""
    if iteration.is_loop:
        return False
    if takes_one(iteration):
        return True
    for place in places_around(iteration.point):
        if place.owner is loop:
            return False
        if place.role == "handler" or isinstance(place.owner, ast.If):
            return True
    return False


def takes_one(iteration: Iteration) -> bool:
    """Whether an iteration takes one batch and goes no further: ``next(iter(loader))``."""
    statement = iteration.point.statement
    for node in walk(statement) if statement is not None else ():
        match node:
            case ast.Call(func=ast.Name(id="next"), args=[ast.Call(args=[inner, *_]), *_]):
                if inner is iteration.node:
                    return True
    return False


def _bound(loop: ast.stmt) -> Iterator[str]:
    """The names that differ from one round of a loop to the next."""
    yield from own_names(loop)
    for statement in statements_in(getattr(loop, "body", [])):
        yield from own_names(statement)


def _loops_up(program: Program, point: Point) -> set[int]:
    """The loops around a point and around the calls that lead to it."""
    return {id(loop) for loop in [*loops_around(point), *loops_above(program, point)]}


def loops_above(program: Program, point: Point, far: int = 0) -> Iterator[ast.stmt]:
    """The loops that come again and again to calls of a point's function."""
    scope = point.frame.scope
    if isinstance(scope, ast.FunctionDef) and far < _FAR:
        for site in program.evaluator.sites.of(scope, point.frame):
            yield from loops_that_repeat(site.point)
            yield from loops_above(program, site.point, far + 1)


def _head(loop: ast.stmt) -> Iterator[str]:
    """The words in the head of a loop."""
    if isinstance(loop, ast.For):
        yield from target_names(loop.target)
    head = loop.iter if isinstance(loop, ast.For) else loop.test if isinstance(loop, ast.While) else None
    for node in ast.walk(head) if head is not None else ():
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                yield word


def _named(iterations: Iterations, node: ast.expr, point: Point, far: int = 0) -> ast.expr | None:
    """The name of the loader that an expression is, or goes through (``enumerate(loader)``)."""
    if dotted(node) is not None:
        return node if iterations.is_loader(node, point) else None
    if isinstance(node, ast.Call) and far < _FAR:
        found = (_named(iterations, argument, point, far + 1) for argument in node.args[:2])
        return next((each for each in found if each is not None), None)
    return None


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _named_at(
    iterations: Iterations, call: ast.Call, point: Point, inside: ast.expr | None
) -> ast.expr | None:
    """What a loader is called where a function is called that goes through it."""
    if inside is not None and (dotted(inside) or "").startswith("self."):
        return inside if (dotted(call.func) or "").startswith("self.") else None
    loaders = [
        node for node in given_in(call) if dotted(node) is not None and iterations.is_loader(node, point)
    ]
    return loaders[0] if len(loaders) == 1 else None
