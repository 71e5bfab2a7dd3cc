"""Passes the function as worker_init_fn that a program calls there; a seeding function of the project where
what it calls only seeds."""

from __future__ import annotations

import ast

import libcst as cst

from dlint.finding import Finding
from dlint.knowledge.randomness import SEEDS
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


def _is_of_worker(function: Function) -> bool:
    """Whether a function takes a worker's number, and not a seed."""
    return takes_one(function) and not _is_seed(function)


def _is_seed(function: Function) -> bool:
    spec = function.node.args
    given = [*spec.posonlyargs, *spec.args]
    return bool(given) and "seed" in given[0].arg.lower()
