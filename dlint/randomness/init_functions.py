"""What is given as ``worker_init_fn``, and functions plainly written to be one, whether or not a loader is
seen to get them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.randomness import SEED_RESULTS
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.statements import parameters, statements_in
from dlint.values.frame import Arguments
from dlint.values.values import External, Function, Partial, Value
from dlint.workers.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.workers.program import Program

_DEFINED = regex(
    r"^[ \t]*def[ \t]+(\w{0,99}(?:worker_init|init_fn|seed_worker)\w{0,99})[ \t]*\(", re.MULTILINE
)
_WORDS = ("worker_init", "init_fn", "seed_worker")
# A parameter of such a name is the seed of something else, not a worker's number.
_NOT_A_WORKER = regex(r"seed|cfg|conf|args|model|module|layer|self|cls|^m$")
_OTHER_USES = ("initializer",)


def init_functions(program: Program) -> Iterator[WorkerCode]:
    """What the workers would execute for each such function of this block."""
    index = program.modules.index
    files = (
        relative
        for relative in sorted({file for word in _WORDS for file in index.mentioning(word)})
        if program.mine(relative) and _DEFINED.search(index.data(relative).decode(errors="replace"))
    )
    for module in program.modules.each(files):
        for name in dict.fromkeys(match[1] for match in _DEFINED.finditer(module.text)):
            yield from _of_name(program, module, name)


def _of_name(program: Program, module: Module, name: str) -> Iterator[WorkerCode]:
    evaluator = program.evaluator
    trails = [list(trail) for trail in module.paths_to(name)]
    if any(isinstance(node, ast.keyword) and node.arg in _OTHER_USES for trail in trails for node in trail):
        return
    for trail in trails:
        node = trail[-1]
        if isinstance(node, ast.FunctionDef) and _takes_a_worker(node):
            frame = evaluator.sites.frame_of(module, trail)
            if evaluator.sites.of(node, frame):
                continue  # the program calls it itself, not the workers of a loader
            if program.given("worker_init_fn", node):
                continue  # judged with the loaders that are seen to get it
            code = WorkerCode(evaluator)
            code.add_callable(Function(node, frame), "worker_init_fn", module, node.lineno)
            yield code


def _takes_a_worker(node: ast.FunctionDef) -> bool:
    given = parameters(node)
    return len(given) == 1 and node.args.vararg is None and not _NOT_A_WORKER.search(given[0].arg.lower())


def with_arguments(value: Value) -> tuple[Value, Arguments]:
    """What ``functools.partial`` calls in the end, and what it gives it."""
    given = Arguments()
    while isinstance(value, Partial):
        given = given.after(value.arguments)
        value = value.callee
    return value, given


def behind_partials(value: Value) -> Value:
    """What ``functools.partial`` calls in the end: the function that it gives some arguments to."""
    return with_arguments(value)[0]


class Hindrance(NamedTuple):
    """Why a function cannot be called with the worker's number: the parameters that get something ``twice``
    with it, those that still get nothing, what a partial gives that is ``unknown``; nothing of these where
    there is no parameter left that could take it."""

    twice: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def takes_one(function: Function, given: Arguments | None = None) -> bool:
    """Whether a function can be called with one argument, the worker's number, behind those that a partial
    has ``given`` it already."""
    return hindrance(function, given) is None


def hindrance(function: Function, given: Arguments | None = None) -> Hindrance | None:
    """What hinders a function from being called with one argument behind those that a partial has ``given``
    it already."""
    spec = function.node.args
    if getattr(function.node, "decorator_list", None):
        return None
    given = given or Arguments()
    if given.spread or given.splats:
        return None
    positional = [each.arg for each in [*spec.posonlyargs, *spec.args]]
    own = 1 if function.receiver is not None else 0
    filled = own + len(given.positional) + 1
    if filled > len(positional) and spec.vararg is None:
        return Hindrance()
    by_keyword = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    strict = [each.arg for each, value in by_keyword if value is None]
    required = [*positional[filled : len(positional) - len(spec.defaults)], *strict]
    by_name = {*positional[max(filled, len(spec.posonlyargs)) :], *(each.arg for each in spec.kwonlyargs)}
    twice = [each for each in positional[len(spec.posonlyargs) : filled] if each in given.keywords]
    known = {*by_name, *twice}
    unknown = [] if spec.kwarg is not None else [each for each in given.keywords if each not in known]
    missing = [each for each in required if each not in given.keywords]
    if not (twice or unknown or missing):
        return None
    return Hindrance(tuple(twice), tuple(unknown), tuple(missing))


def result_of(callee: Value) -> str | None:
    """What a call gives where that surely is no function for workers; None where it may be one."""
    if isinstance(callee, External):
        return SEED_RESULTS.get(callee.name)
    if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
        return None
    node = callee.node
    if node.decorator_list or not any(not _is_empty(statement) for statement in node.body):
        return None
    for statement in statements_in(node.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            return None
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.iter_child_nodes(statement)):
            return None
    return "None"


def _is_empty(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring, ``pass``, ``...`` or ``raise``: a function left to subclasses."""
    return isinstance(statement, ast.Pass | ast.Raise) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )
