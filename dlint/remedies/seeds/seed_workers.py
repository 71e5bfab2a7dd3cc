"""Has every worker seed NumPy from the seed that torch gave it.

A loader without a ``worker_init_fn`` gets the project's seeding function, or one that is written for it
beside its dataset: in the dict of options that several loaders share, else in its call. A ``worker_init_fn``
of the project that seeds no NumPy gets the line that does.
"""

from __future__ import annotations

import ast

import libcst as cst

from dlint.finding import Finding
from dlint.randomness.init_functions import behind_partials, takes_one
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.arguments import keyword, with_keyword
from dlint.rewriting.pieces.options import put_into, shared_options
from dlint.rewriting.pieces.room import Room
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.seeding.init_functions import is_for_workers_only
from dlint.rewriting.seeding.seed_worker import OLD_TORCH, seed_of_worker, seeding_function
from dlint.rewriting.source import Source
from dlint.values.values import Function, Partial

_KEYWORD = "worker_init_fn"
_SEEDS_TORCH = frozenset({"torch.manual_seed", "torch.random.manual_seed", "torch.seed"})


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Give the loader a seeding function, or its own function the line that is missing."""
    data = finding.remedy.data if finding.remedy else {}
    call = source.at(finding, cst.Call)
    if data.get("kind") == "append":
        _append(source, edits, call)
    else:
        _pass_one(source, edits, call, data.get("home"))


def _pass_one(source: Source, edits: Edits, call: cst.Call, home: str | None) -> None:
    given = keyword(call, _KEYWORD)
    if (
        given is None
        and any(arg.star == "**" and _is_own_parameter(source, call, arg.value) for arg in call.args)
        and _may_get_one(source, call)
    ):
        raise CannotRepair(f"the caller may pass {_KEYWORD} in its own keywords: pass one there")
    if given is None and _among_splatted(source, call):
        raise CannotRepair(f"{_KEYWORD} is among the keywords that are passed with **: set it there")
    if given is not None and source.code(given.value) != "None":
        raise CannotRepair(f"the {_KEYWORD} that is passed can be None: pass one that seeds")
    shared = shared_options(source, call, _KEYWORD) if given is None else None
    name = seeding_function(source, edits, shared or call, OLD_TORCH, home)
    value = statements.expression(name)
    if shared is not None:
        put_into(source, edits, shared, _KEYWORD, value)
        return
    if given is not None:
        edits.replace(given.value, value, key=_KEYWORD)
        return
    room = Room.of(source, call)
    edits.change(call, lambda node: with_keyword(node, _KEYWORD, value, room), key=_KEYWORD)


def _among_splatted(source: Source, call: cst.Call) -> bool:
    """Whether the function around names the keyword, as it may where it gathers what ``**`` passes."""
    around: cst.CSTNode = source.function_of(call) or source.module
    return any(arg.star == "**" for arg in call.args) and _KEYWORD in source.code(around)


def _is_own_parameter(source: Source, call: cst.Call, value: cst.BaseExpression) -> bool:
    function = source.function_of(call)
    star = function.params.star_kwarg if function is not None else None
    return star is not None and isinstance(value, cst.Name) and value.value == star.name.value


def _may_get_one(source: Source, call: cst.Call) -> bool:
    """Whether a call of the function around may have the keyword among those that it hands on: one that
    passes it, or others with ``**``, or that is not seen."""
    with source.surroundings.asking() as program:
        _, point = source.surroundings.point(source, call, ast.Call)
        scope = point.frame.scope
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return True
        program.evaluator.start()
        sites = program.evaluator.sites.of(scope, point.frame)
        return (
            not sites
            or not program.evaluator.sites.are_all(scope)
            or any(site.arguments.splats or _KEYWORD in site.arguments.keywords for site in sites)
        )


def _append(source: Source, edits: Edits, call: cst.Call) -> None:
    """Have the loader's own worker_init_fn seed NumPy too."""
    with source.surroundings.asking() as program:
        node, point = source.surroundings.point(source, call, ast.Call)
        assert isinstance(node, ast.Call)
        written = next((each.value for each in node.keywords if each.arg == _KEYWORD), None)
        values = program.evaluator.values(written, point) if written is not None else []
        called = [behind_partials(value) for value, _ in values]
        functions = {id(each.node): each for each in called if isinstance(each, Function)}
        if len(functions) != 1 or len({each.key for each in called}) != 1:
            raise CannotRepair(f"add np.random.seed(torch.initial_seed() % 2**32) to the {_KEYWORD}")
        (function,) = functions.values()
        node_of = function.node
        is_partial = any(isinstance(value, Partial) for value, _ in values)
        if (
            not isinstance(node_of, ast.FunctionDef)
            or node_of.decorator_list
            or not (is_partial or takes_one(function))
        ):
            raise CannotRepair(f"the {_KEYWORD} is no plain function: seed NumPy in it")
        if not is_for_workers_only(program, function):
            raise CannotRepair(
                f"{node_of.name} is not for workers alone: seed NumPy in a {_KEYWORD} of its own"
            )
    mine = source.surroundings.relative(source.path)
    other = source if function.module.relative == mine else source.surroundings.open(function.module.relative)
    definition = _definition(other, node_of)
    theirs = edits.elsewhere(other)
    body = definition.body
    if not isinstance(body, cst.IndentedBlock):
        raise CannotRepair(f"{node_of.name} is written on one line: seed NumPy in it")
    line = seed_of_worker(other, theirs)
    if line.partition(".")[0] in _locals(node_of) or "torch" in _locals(node_of):
        raise CannotRepair(f"{node_of.name} has names of its own for torch or NumPy: seed in it")
    new = statements.parse(other, f"# {OLD_TORCH}\n{line}\n")
    # torch.initial_seed() is no longer the worker's own where the function has seeded torch anew.
    seeds_torch = any(
        other.qualified(each.func) in _SEEDS_TORCH for each in other.descendants(body, cst.Call)
    )
    ends_early = any(isinstance(each, ast.Return | ast.Raise | ast.Yield) for each in ast.walk(node_of))
    if not seeds_torch and not ends_early:
        theirs.insert_after(body.body[-1], new, key="seed NumPy")
    elif len(body.body) > 1 and ast.get_docstring(node_of) is not None:
        theirs.insert_after(body.body[0], new, key="seed NumPy")
    else:
        theirs.insert_before(body.body[0], new, key="seed NumPy")


def _definition(source: Source, node: ast.FunctionDef) -> cst.FunctionDef:
    found: list[cst.FunctionDef] = [
        each
        for each in source.descendants(source.module, cst.FunctionDef)
        if each.name.value == node.name and source.line_in_file(source.range(each.name)[0][0]) == node.lineno
    ]
    if len(found) != 1:
        raise CannotRepair(f"{node.name} is not of a shape that dlint can edit: seed NumPy in it")
    return found[0]


def _locals(node: ast.FunctionDef) -> set[str]:
    """The names that a function binds itself."""
    bound = {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return bound | {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
