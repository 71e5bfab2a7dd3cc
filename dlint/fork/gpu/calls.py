"""The calls of worker code that use the GPU: they put something there, pin memory, or ask torch for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from dlint.evaluation.marks import OF_ALL
from dlint.fork.gpu.other_objects import is_told_to_others
from dlint.fork.gpu.placed import uses_gpu
from dlint.fork.gpu.told import may_name_device
from dlint.fork.program import Program
from dlint.knowledge.processes.devices import (
    DEVICE_KEYWORDS,
    FORK_RNG,
    FORK_RNG_TOLD,
    NEED_GPU,
    PIN,
    TYPED,
    makes_tensor,
)
from dlint.knowledge.tensors import is_number_type
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, bare_name, dotted, expressions, statements_in
from dlint.values.frame import Point
from dlint.values.places import path_to, places_around
from dlint.values.values import Const, External, Function
from dlint.values.worlds import World
from dlint.workers.events import Visit

# A test that speaks of these may keep workers out, or the CPU's tensors, which theirs are.
_ASKS_WHO = regex(
    r"worker|start_method|parent_process|current_process|bad_fork|is_cuda|\b(?!self\b)\w+\.device\b"
)
# Words without which no call says a device, or needs the GPU.
_TELLING = ("cuda", *DEVICE_KEYWORDS, ".to(", f".{TYPED}(", "Tensor(", PIN, "fork_rng")
NEEDING = frozenset(name.rpartition(".")[2] for name in NEED_GPU | FORK_RNG)


def calls_in(program: Program, visit: Visit) -> Iterator[tuple[ast.Call, Point]]:
    """The calls of a worker's function that use the GPU, one a statement, with where they stand."""
    node = visit.function.node
    mark = ("calls that may name a device", id(node))
    if mark not in program.answers:  # every worker code comes to the same functions
        program.answers[mark] = [
            (call, statement)
            for call, statement in _candidates(node, visit.function.module.text_of(node))
            if not _enters_program(program, call, Point(visit.frame, statement))
        ]
    candidates: list[tuple[ast.Call, ast.stmt | None]] = program.answers[mark]
    told: set[int] = set()
    for call, statement in candidates:
        point = Point(visit.frame, statement)
        program.evaluator.start()
        worlds = (
            program.evaluator.flow.reaching(point, visit.world) if id(point.statement) not in told else []
        )
        worlds = [w for world in worlds for w in _chosen(program, call, point, world)]
        if any(needs_gpu(program, call, point, world) for world in worlds) and not kept_out(point):
            told.add(id(point.statement))
            yield call, point


def _enters_program(program: Program, call: ast.Call, point: Point) -> bool:
    """Whether a call, whoever calls the function that it stands in, is of functions of the program: what they
    do is looked at there."""
    program.evaluator.start()
    mark = program.evaluator.marks.of(call.func, point)
    if not (isinstance(mark, tuple) and mark[0] in OF_ALL):
        return False
    callees = [value for value, _ in program.evaluator.values(call.func, point)]
    return bool(callees) and all(isinstance(callee, Function) for callee in callees)


def _candidates(node: FunctionNode | ast.Lambda, text: str) -> list[tuple[ast.Call, ast.stmt | None]]:
    """The calls of a function that may name a device, each with its statement."""
    if not any(word in text for word in _TELLING):
        return []
    if isinstance(node, ast.Lambda):
        return [(call, None) for call in _calls(node.body)]
    return [
        (call, statement)
        for statement in statements_in(node.body)
        for expression in expressions(statement)
        for call in _calls(expression)
    ]


def _chosen(program: Program, call: ast.Call, point: Point, world: World) -> list[World]:
    """The worlds in which conditional expressions come to a call in them: ``x.cuda() if gpu else x``."""
    worlds = [world]
    around = [*path_to(point.statement, call), call]
    for outer, inner in pairwise(around):
        if isinstance(outer, ast.IfExp) and inner is not outer.test:
            wanted = inner is outer.body
            worlds = [
                w
                for each in worlds
                for result, w in program.evaluator.truth(outer.test, point, each)
                if result is wanted
            ]
    return worlds


def _calls(expression: ast.expr) -> Iterator[ast.Call]:
    """The calls in an expression that may use the GPU."""
    for node in walk(expression):
        if isinstance(node, ast.Call) and (
            (may_name_device(node) and not _only_types(node)) or pins(node) or bare_name(node.func) in NEEDING
        ):
            yield node


def _only_types(call: ast.Call) -> bool:
    """Whether what ``to`` is told, as it is written, is a type of torch's, or the CPU."""
    match call:
        case ast.Call(func=ast.Attribute(attr="to"), args=[told], keywords=[]):
            name = dotted(told) or ""
            of_torch = name.startswith("torch.") and is_number_type(name.rpartition(".")[2])
            return of_torch or (isinstance(told, ast.Constant) and told.value == "cpu")
    return False


def pins(call: ast.Call) -> bool:
    return bare_name(call.func) == PIN or any(keyword.arg == PIN for keyword in call.keywords)


def needs_gpu(program: Program, call: ast.Call, point: Point, world: World) -> bool:
    """Whether a call uses the GPU: it puts something there, pins memory, or asks torch for what is there."""
    evaluator = program.evaluator
    if may_name_device(call) and uses_gpu(evaluator, call, point, world):
        return not is_told_to_others(program, call, point)
    callees = [value for value, _ in evaluator.values(call.func, point, world)]
    if bare_name(call.func) == PIN:
        return isinstance(call.func, ast.Attribute) and not any(isinstance(c, Function) for c in callees)
    names = [callee.name for callee in callees if isinstance(callee, External)]
    if any(name in NEED_GPU for name in names):
        return True
    if not FORK_RNG.isdisjoint(names):
        return not (call.args or any(keyword.arg in FORK_RNG_TOLD for keyword in call.keywords))
    return any(makes_tensor(name) for name in names) and any(
        isinstance(value, Const) and value.value is True
        for keyword in call.keywords
        if keyword.arg == PIN
        for value, _ in evaluator.values(keyword.value, point, world)
    )


def kept_out(point: Point) -> bool:
    """Whether a test around a place asks whether this is a worker."""
    for around in places_around(point):
        tests = [s.test for s in around.block[: around.at] if isinstance(s, ast.If)]
        if isinstance(around.owner, ast.If):
            tests.append(around.owner.test)
        if any(_ASKS_WHO.search(ast.unparse(test)) for test in tests):
            return True
    return False
