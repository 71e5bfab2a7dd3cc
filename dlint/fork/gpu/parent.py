"""Whether the parent has used the GPU before it forks workers, so that they cannot.

Measured with torch 2.11 on an H100: ``torch.cuda.is_available()`` is enough, and so is ``pin_memory=True``,
for which the loader itself uses the GPU. What the parent does with the first batches counts for the workers
of the next epoch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.evaluation.options.option import option_of
from dlint.fork.gpu.placed import names_gpu, uses_gpu
from dlint.fork.gpu.told import chooses_gpu
from dlint.fork.sides import calls_named, worker_functions
from dlint.fork.together import beside, run_together
from dlint.knowledge.processes.devices import ENDS_FOR_FORKED, MOVES, PIN, PREPARE, SET_DEFAULT
from dlint.regex import regex
from dlint.source.statements import dotted, own_names, statements_in
from dlint.values.frame import Point
from dlint.values.places import places_around
from dlint.values.values import Const, External
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.workers.uses import WorkerUse

# A device that is written out; one that the program chooses it chooses by asking for the GPU.
_PRESENT = regex("is_available|__name__")
_MOVED = regex(r"""\.to\(["']cuda""")
# What the argument is called that tells ``x.to()`` a device.
_TELLS_DEVICE = regex(r"\.to\(.{0,300}(?:device|dev\b|cuda|gpu)")
# What is called by the last name of these uses the GPU, or may: what names the GPU itself comes first.
_BY_WORD = frozenset({name.rpartition(".")[2] for name in ENDS_FOR_FORKED} | {"cuda"})
_WORDS = (*sorted(_BY_WORD), "to", *sorted({name.rpartition(".")[2] for name in PREPARE} - _BY_WORD))


class _Call(NamedTuple):
    """A call that may use the GPU, and where it stands; ``by_word``: it names the GPU itself
    (``x.cuda()``)."""

    call: ast.Call
    point: Point
    by_word: bool


def parent_uses_gpu(program: Program, use: WorkerUse) -> bool:
    """Whether code outside workers that runs with the loader of a use is seen to use the GPU, or to ask for
    it so that forked workers cannot use it any more."""
    if use.loader is None:
        return False
    pinned = use.loader.values(PIN)
    if pinned and all(isinstance(value, Const) and value.value is True for value in pinned):
        return True
    # What stands beside the loader is looked at first: a program has thousands of `x.to(...)`.
    of_loader = use.loader.module.relative
    return any(
        _is_of_this_run(program, each.point, use) and _is_use(program, each)
        for relative in sorted(_files(program), key=lambda each: each != of_loader)
        for each in _may_use(program, relative)
        if each.by_word or not _is_asked_for(program, each.point)
    )


def default_on_gpu(program: Program, use: WorkerUse) -> Point | None:
    """Where code outside workers that runs with the loader of a use has tensors made on the GPU that are not
    told a device: ``torch.set_default_device("cuda")``."""
    of_this_run = [
        (point, on_gpu) for point, on_gpu in _defaults(program) if _is_of_this_run(program, point, use)
    ]
    chosen = [point for point, on_gpu in of_this_run if on_gpu and not _is_asked_for(program, point)]
    back = [point for point, on_gpu in of_this_run if not on_gpu]
    # What is set back may be so before the workers start.
    return next((point for point in chosen if all(_excludes(point, each) for each in back)), None)


def _excludes(one: Point, other: Point) -> bool:
    """Whether control comes to one place only where it does not come to another: by the arms of one test, or
    of two that ask for the same (``if args.cuda:``, ``if not args.cuda:``)."""
    arms = {id(place.owner): place.role for place in places_around(one) if isinstance(place.owner, ast.If)}
    if any(arms.get(id(place.owner), place.role) != place.role for place in places_around(other)):
        return True
    if one.frame.key != other.frame.key:
        return False
    asked = {path: (outcome, owner) for path, outcome, owner in _asked(one)}
    return any(
        path in asked and asked[path][0] is not outcome and _is_same_between(path, asked[path][1], owner, one)
        for path, outcome, owner in _asked(other)
    )


def _asked(point: Point) -> Iterator[tuple[str, bool, ast.If]]:
    """What tests on the way to a place ask for by its name, and how they must come out."""
    for place in places_around(point):
        if isinstance(place.owner, ast.If):
            test, outcome = place.owner.test, place.role == "body"
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, outcome = test.operand, not outcome
            asked = test.func if isinstance(test, ast.Call) and not test.args else test
            path = dotted(asked)
            if path is not None and (asked is test or _PRESENT.search(path)):
                yield path, outcome, place.owner


def _is_same_between(path: str, one: ast.If, other: ast.If, point: Point) -> bool:
    """Whether no statement between two tests changes what both ask for."""
    first, last = sorted((one.lineno, other.lineno))
    return not any(
        path == name or path.startswith(f"{name}.")
        for statement in statements_in(point.frame.layout.body)
        if first < statement.lineno < last
        for name in own_names(statement)
    )


def _is_asked_for(program: Program, point: Point) -> bool:
    """Whether a place stands behind a test of something else than the GPU, ``__name__``, or an option that
    lets control come to it where the user asks for nothing."""
    return any(
        isinstance(place.owner, ast.If)
        and not _PRESENT.search(ast.unparse(place.owner.test))
        and not _is_by_default(program, place.owner, place.role == "body", point)
        for place in places_around(point)
    )


def _is_by_default(program: Program, owner: ast.If, outcome: bool, point: Point) -> bool:
    """Whether the test of an ``if`` is of one option, and has an outcome by its default."""
    test = owner.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, outcome = test.operand, not outcome
    options = program.evaluator.options
    defaults = [
        options.default(value, world) if option_of(value) is not None else None
        for value, world in program.evaluator.values(test, Point(point.frame, owner))
    ]
    return bool(defaults) and all(
        default is not None and bool(default.value) is outcome for default in defaults
    )


def _defaults(program: Program) -> list[tuple[Point, bool]]:
    """The places outside worker code that set the default device, and whether that is the GPU."""
    mark = "the default device is the GPU"
    if mark not in program.answers:
        worker = worker_functions(program)
        program.answers[mark] = [
            (point, any(names_gpu(program.evaluator, given, point, HERE) for given in call.args[:1]))
            for name in sorted(SET_DEFAULT)
            for module, call, point in calls_named(program, name.rpartition(".")[2], everywhere=True)
            if id(point.frame.scope) not in worker
            and not program.modules.index.is_test(module.relative)
            and any(
                isinstance(callee, External) and callee.name in SET_DEFAULT
                for callee, _ in program.evaluator.values(call.func, point)
            )
        ]
    answer: list[tuple[Point, bool]] = program.answers[mark]
    return answer


def _is_of_this_run(program: Program, point: Point, use: WorkerUse) -> bool:
    relative = point.frame.module.relative
    if isinstance(point.frame.scope, ast.Module | ast.ClassDef):
        of_loader = use.loader.module.relative if use.loader is not None else relative
        return relative == of_loader or relative in beside(program, of_loader)
    return run_together(program, point, use)


def _files(program: Program) -> tuple[str, ...]:
    """The files with a word that a call which may use the GPU has, tests left out."""
    mark = "the parent may use the GPU in"
    if mark not in program.answers:
        index = program.modules.index
        found = {relative for word in _WORDS for relative in index.mentioning(word)}
        program.answers[mark] = tuple(sorted(each for each in found if not index.is_test(each)))
    answer: tuple[str, ...] = program.answers[mark]
    return answer


def _may_use(program: Program, relative: str) -> list[_Call]:
    """The calls of a file outside worker code that may use the GPU."""
    mark = ("the parent may use the GPU", relative)
    if mark not in program.answers:
        worker = worker_functions(program)
        program.answers[mark] = [
            _Call(call, point, word in _BY_WORD or bool(_MOVED.search(told)))
            for word in _WORDS
            for _, call, point in calls_named(program, word, everywhere=True, only=relative)
            if id(point.frame.scope) not in worker
            for told in [ast.unparse(call) if word == "to" else ""]
            if word != "to" or _MOVED.search(told) or _TELLS_DEVICE.search(told)
        ]
    answer: list[_Call] = program.answers[mark]
    return answer


def _is_use(program: Program, each: _Call) -> bool:
    """Whether a call uses the GPU, or puts something there."""
    mark = ("uses the GPU", id(each.call))
    if mark not in program.answers:
        program.evaluator.start()
        program.answers[mark] = _uses(program, each.call, each.point)
    answer: bool = program.answers[mark]
    return answer


def _uses(program: Program, call: ast.Call, point: Point) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr in MOVES:
        return uses_gpu(program.evaluator, call, point, HERE)
    return any(
        isinstance(callee, External)
        and (
            callee.name in ENDS_FOR_FORKED
            or (callee.name in PREPARE and chooses_gpu(program.evaluator, callee))
        )
        for callee, _ in program.evaluator.values(call.func, point)
    )
