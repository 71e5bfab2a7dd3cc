"""Passes the function as worker_init_fn that a program calls there; a seeding function of the project where
what it calls only seeds. That call stays, in a line before, where nothing else seeds the training process."""

from __future__ import annotations

import ast
import re

import libcst as cst

from dlint.finding import Finding
from dlint.fork.sides import worker_functions
from dlint.knowledge.randomness import SEEDS
from dlint.program.program import Program
from dlint.randomness.init_functions import takes_one
from dlint.randomness.worker_seeds import seeds_only
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.arguments import keyword
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.seeding.seed_worker import OWN_SEED, seeding_function
from dlint.rewriting.source import Source
from dlint.values.values import External, Function

_KEYWORD = "worker_init_fn"
_OF_WORKERS = re.compile(r"\binitial_seed\b|\bget_worker_info\b|\bdef \w*worker|\(worker_?id\b")


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Pass the function instead of its result."""
    call = source.at(finding, cst.Call)
    given = keyword(call, _KEYWORD)
    called = given.value if given is not None else call  # the finding may point at the argument itself
    if not isinstance(called, cst.Call):
        raise CannotRepair(f"pass the function to {_KEYWORD} instead of what it returns")
    name = source.code(called.func)
    with source.surroundings.asking() as program:
        node, point = source.surroundings.point(source, called, ast.Call)
        assert isinstance(node, ast.Call)
        values = [value for value, _ in program.evaluator.values(node.func, point)]
        if len({value.key for value in values}) != 1:
            raise CannotRepair(f"pass {name} instead of calling it, if it takes a worker's number")
        (value, *_) = values
        if isinstance(value, External) and value.name in SEEDS:
            seeds = True
        elif isinstance(value, Function):
            seeds = seeds_only(program.evaluator, value)
        else:
            raise CannotRepair(f"pass {name} instead of calling it, if it takes a worker's number")
        if seeds and (isinstance(value, External) or not _is_of_worker(value)):
            if not _is_called_elsewhere(program, value, node):
                _keep(source, called, edits)
            new = seeding_function(source, edits, called, OWN_SEED)
            edits.replace(called, statements.expression(new), key="pass")
            return
        assert isinstance(value, Function)
        if not takes_one(value):
            raise CannotRepair(
                f"{name} does not take one argument: have it take the worker's number, and pass it uncalled"
            )
        if _is_seed(value):
            raise CannotRepair(
                f"{name} takes a seed, not a worker's number: pass one that calls it with a worker's seed"
            )
    edits.change(called, lambda node: node.func, key="pass")


def _keep(source: Source, called: cst.Call, edits: Edits) -> None:
    """Have a call made before the statement that it stands in."""
    line = source.line_of(called)
    inner = source.enclosing(called, cst.BaseComp, cst.Lambda)
    if not isinstance(line, cst.SimpleStatementLine) or (inner is not None and source.encloses(line, inner)):
        raise CannotRepair(
            f"nothing else seeds the training process: call {source.code(called)} in a line of its own, and "
            "pass a function that takes the worker's number"
        )
    text = source.code(called)
    kept = cst.ensure_type(statements.parse(source, text)[0], cst.SimpleStatementLine)
    blank = [each for each in line.leading_lines if each.comment is None]
    edits.insert_before(line, [kept.with_changes(leading_lines=blank)], key=("seeds the parent", text))
    edits.change(line, _without_blank_lines, key="seeds the parent")


def _without_blank_lines(line: cst.SimpleStatementLine) -> cst.SimpleStatementLine:
    return line.with_changes(leading_lines=[each for each in line.leading_lines if each.comment is not None])


def _is_called_elsewhere(program: Program, value: External | Function, here: ast.Call) -> bool:
    """Whether something that seeds is called anywhere but for loaders, as ``here``, and by their workers."""
    name = value.name.rpartition(".")[2] if isinstance(value, External) else getattr(value.node, "name", "")
    workers = worker_functions(program)
    for module in program.modules.mentioning(name):
        for trail in module.paths_to(name, called=True):
            above = trail[-2] if len(trail) > 2 else None
            if not isinstance(above, ast.Call) or above.func is not trail[-1] or above is here:
                continue
            if isinstance(trail[-3], ast.keyword) and trail[-3].arg == _KEYWORD:
                continue
            point = program.evaluator.sites.point_of(module, trail)
            if id(point.frame.scope) in workers or _OF_WORKERS.search(module.text_of(point.frame.scope)):
                continue
            if any(found.key == value.key for found, _ in program.evaluator.values(above.func, point)):
                return True
    return False


def _is_of_worker(function: Function) -> bool:
    """Whether a function takes a worker's number, and not a seed."""
    return takes_one(function) and not _is_seed(function)


def _is_seed(function: Function) -> bool:
    spec = function.node.args
    given = [*spec.posonlyargs, *spec.args]
    return bool(given) and "seed" in given[0].arg.lower()
