"""Pools that the main process makes at their first use, or gives work, before workers start: by using a
dataset or what it holds, and in their constructors."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.early.used import Used, drop, is_one_of, used_before
from dlint.fork.kept.by_key import keys_of
from dlint.fork.order import comes_before
from dlint.fork.sides import names_of
from dlint.fork.ways.run_by import run_by
from dlint.fork.ways.surely import is_sure, starts_as_none
from dlint.knowledge.processes.pools import gives_work
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, expressions, own_names, own_nodes, parameters, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.methods import is_cached
from dlint.values.values import Const, Instance, Made

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.workers.uses import WorkerUse


class Early(NamedTuple):
    """What makes a pool, or gives it work, before workers start: something that the parent uses, or (None)
    the constructor of what holds the pool."""

    used: Used | None


def made_early(program: Program, use: WorkerUse, made: Made) -> Early | None:
    """What has the parent make a pool, or something else, that is made at its first use."""
    scope = made.point.frame.scope
    if not isinstance(scope, FunctionNode):
        return None
    holders = _holders(program, use)
    for used in used_before(program, use, {scope.name}, _drops(made)):
        for frame in used.run:
            if (
                frame.scope is scope
                and _is_for(program, frame, holders)
                and not _is_kept_apart(program, use, made, frame)
            ):
                return Early(used)
    return None


def _is_kept_apart(program: Program, use: WorkerUse, made: Made, frame: Frame) -> bool:
    """Whether what a function makes and keeps for the parent is kept under another key than what it makes for
    workers, as both are written out: ``get_pool(2)`` and ``get_pool(4)``."""
    key: ast.expr | None = None
    match made.point.statement:
        case ast.Assign(targets=targets):
            key = next((each.slice for each in targets if isinstance(each, ast.Subscript)), None)
    if key is None and not is_cached(frame.scope):
        return False
    evaluator, statement = program.evaluator, made.point.statement
    ours = keys_of(evaluator, key, Point(frame, statement))
    theirs = [
        value
        for visit in use.code.visits
        if visit.function.node is frame.scope
        for value in keys_of(evaluator, key, Point(visit.frame, statement))
    ]
    written = all(isinstance(value, Const) for value in (*ours, *theirs))
    return bool(ours and theirs) and written and {v.key for v in ours}.isdisjoint(v.key for v in theirs)


def _is_for(program: Program, frame: Frame, holders: list[Instance]) -> bool:
    """Whether what a function makes is for one of some objects, or for all: it is no method of an object."""
    return not isinstance(frame.receiver, Instance) or is_one_of(program.evaluator, frame.receiver, holders)


def made_by_constructor(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether the constructor of a dataset, or of what it holds, surely needs what is made at its first use,
    through whatever it calls, and lets go of it no more."""
    run = run_by_constructors(program, use)
    scope, holders, drops = made.point.frame.scope, _holders(program, use), _drops(made)
    if not any(
        frame.scope is scope
        and _is_for(program, frame, holders)
        and not _is_kept_apart(program, use, made, frame)
        for frame in run
    ):
        return False
    return not drop(program, run, drops) and not _begins_anew(program, run, drops)


def _begins_anew(program: Program, run: list[Frame], drops: re.Pattern[str]) -> bool:
    """Whether a constructor lets go of something after what it runs, itself or by that of a base."""
    begun = [frame for frame in run if getattr(frame.scope, "name", "") == "__init__"]
    names = {getattr(frame.scope, "name", "") for frame in run} - {"__init__", ""}
    runs = re.compile(rf"\.(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    texts = [frame.module.text_of(frame.scope) for frame in begun]
    running = {
        id(frame.owner.node)
        for frame, text in zip(begun, texts, strict=True)
        if frame.owner and runs.search(text)
    }
    for frame, text in zip(begun, texts, strict=True):
        bases = program.evaluator.classes.line(frame.owner)[1:] if frame.owner is not None else []
        asked = (
            re.compile(rf"{runs.pattern}|\.__init__\(")
            if any(id(each.node) in running for each in bases)
            else runs
        )
        last = max((found.start() for found in asked.finditer(text)), default=None)
        if last is not None and any(found.start() > last for found in drops.finditer(text)):
            return True
    return False


def worked_early(program: Program, use: WorkerUse, made: Made) -> Early | None:
    """What has the parent give work to a pool."""
    drops = _drops(made)
    built = run_by_constructors(program, use)
    if _works(program, use, built, made) and not (
        drop(program, built, drops) or _is_forgotten(program, use, made)
    ):
        return Early(None)
    names = names_of(made) | {getattr(made.point.frame.scope, "name", "")} - {"", "__init__"}
    for used in used_before(program, use, names, drops) if names else ():
        if _works(program, use, used.run, made) or _works_there(program, use, used, made):
            return Early(used)
    return None


def _works_there(program: Program, use: WorkerUse, used: Used, made: Made) -> bool:
    """Whether the parent gives work to what a call gives that makes a pool for all, and keeps it:
    ``get_pool().map(read, paths)``."""
    statement, scope = used.point.statement, made.point.frame.scope
    given = [each for each in _given_work(statement) if each is used.node] if statement is not None else []
    return any(
        frame.scope is scope
        and not isinstance(frame.receiver, Instance)
        and not _is_kept_apart(program, use, made, frame)
        for frame in (used.run if given else ())
    )


def _is_forgotten(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether constructors leave None where a pool is kept."""
    evaluator, scope = program.evaluator, made.point.frame.scope
    return any(
        starts_as_none(evaluator, each, name)
        for each in _holders(program, use)
        if any(
            function is scope for above in evaluator.classes.line(each.cls) for function in above.node.body
        )
        for name in names_of(made)
    )


def is_busy(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether the parent gives work to a pool where it makes it, or to one of a module."""
    return _works_where_made(program, made) or _works_before(program, use, made)


def _works_where_made(program: Program, made: Made) -> bool:
    """Whether the code that makes a pool gives it work, too: its threads run from then on."""
    frame = made.point.frame
    if isinstance(frame.scope, ast.Lambda):
        return False
    for statement in statements_in(frame.scope.body):
        for node in own_nodes(statement):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name() | ast.Attribute() as held, attr=method)
                ) if gives_work(method):
                    values = program.evaluator.values(held, Point(frame, statement))
                    if any(value.key == made.key for value, _ in values):
                        return True
    return False


def _works_before(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether the parent gives work to a pool of a module before it makes the loader."""
    statement = made.point.statement
    if statement is None or not isinstance(made.point.frame.scope, ast.Module):
        return False
    evaluator = program.evaluator
    for name in own_names(statement):
        for module in program.modules.naming(name):
            for trail in module.paths_to(name):
                inner = -1 - (len(trail) > 1 and isinstance(trail[-2], ast.Subscript))  # one of several
                match trail[: inner + 1 or None][-3:]:
                    case [ast.Call(func=called), ast.Attribute(attr=method) as held, ast.expr() as pool] if (
                        called is held and held.value is pool and gives_work(method)
                    ):
                        evaluator.start()
                        point = evaluator.sites.point_of(module, trail)
                        values = evaluator.values(pool, point)
                        same = any(value.key == made.key for value, _ in values)
                        if same and comes_before(evaluator, point, use):
                            return True
    return False


def _drops(made: Made) -> re.Pattern[str]:
    name = "|".join(map(re.escape, sorted(names_of(made)))) or r"\w+"
    return re.compile(
        rf"\b(?:{name})\.(?:shutdown|close|terminate|join)\(|\b(?:{name}) = None"
        rf"|\bdel [^\n]{{0,300}}\b(?:{name})\b"
        rf"|\.cache_clear\("
    )


def _holders(program: Program, use: WorkerUse) -> list[Instance]:
    return [part.value for part in program.shipped(use) if isinstance(part.value, Instance)]


def run_by_constructors(program: Program, use: WorkerUse) -> list[Frame]:
    """What the constructors of a dataset, and of all that it holds, surely run."""
    holders = _holders(program, use)
    mark = ("surely run by constructors", tuple(each.key for each in holders))
    if mark not in program.answers:
        begun = [frame for each in holders for _, frame in program.evaluator.initialisers.of(each)]
        program.answers[mark] = run_by(program.evaluator, begun, surely=True)
    run: list[Frame] = program.answers[mark]
    return run


def _works(program: Program, use: WorkerUse, run: list[Frame], made: Made) -> bool:
    """Whether some frames surely give work to a pool."""
    evaluator, holders = program.evaluator, _holders(program, use)
    for frame in run:
        for statement in statements_in(frame.scope.body) if isinstance(frame.scope, FunctionNode) else ():
            point = Point(frame, statement)
            held = [each for expression in expressions(statement) for each in _given_work(expression)]
            if not held or not is_sure(evaluator, point):
                continue
            for value, _ in (found for each in held for found in evaluator.values(each, point)):
                if value.key == made.key or (
                    isinstance(value, Made)
                    and value.node is made.node
                    and (_is_for_all(made.point) or is_one_of(evaluator, value.point.frame.receiver, holders))
                ):
                    return True
    return False


def _is_for_all(point: Point) -> bool:
    """Whether what a function makes is the same for whoever calls it: it is no method, and cached."""
    scope = point.frame.scope
    return isinstance(scope, FunctionNode) and is_cached(scope) and not parameters(scope)


def _given_work(expression: ast.AST) -> list[ast.expr]:
    """What an expression may give work to, as to a pool."""
    return [
        node.func.value
        for node in walk(expression)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name | ast.Attribute | ast.Call)
        and gives_work(node.func.attr)
    ]
