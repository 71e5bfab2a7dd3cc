"""Has a worker_init_fn seed with what torch gave the worker, in the place of numbers that repeat.

Every seeding call of the function that repeats gets the new seed; what told ranks apart stays in it. A
function that is not for workers alone stays as it is, and the loaders get one that is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import libcst as cst

from dlint.changes.mentions import mentions
from dlint.finding import Finding
from dlint.knowledge.randomness import SEEDS, seeds_below
from dlint.program.program import Program
from dlint.randomness.worker_seeds import Seeding, code_of, repeating, seeds_only
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.room import join_row
from dlint.rewriting.pieces.twins import fold_twins
from dlint.rewriting.pieces.unused import drop_unused_imports, drop_unused_locals, mentions_in, only_value
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.seeding.fresh_seeds import FreshSeeds, Parts
from dlint.rewriting.seeding.init_functions import (
    given_values,
    is_for_workers_only,
    passed_at,
    uses_given,
    worker_parameter,
)
from dlint.rewriting.seeding.seed_worker import OWN_SEED, existing_function, seeding_function, torch_name
from dlint.rewriting.source import Function as Around
from dlint.rewriting.source import Source
from dlint.source.nodes import walk
from dlint.source.statements import given_in, parameters
from dlint.values.values import Function

_LEAVE_OUT = "torch has seeded every worker already: leave this worker_init_fn out"
_BY_HAND = "seed with torch.initial_seed() % 2**32"
_SAYS_SEED = "seed"
_STATE = "get_state"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Give every seeding call of the function the new seed, or the loaders another function."""
    call = source.at(finding, cst.Call)
    function = source.function_of(call)
    if function is None:
        raise CannotRepair(f"{_BY_HAND}, in the worker")
    with source.surroundings.asking() as program:
        target = _function(source, program, call, function)
        why_not = _why_not_alone(program, target)
        if why_not is not None:
            _pass_another(source, edits, program, target, why_not)
            return
        code = code_of(program.evaluator, target, given_values(program, target))
        uses = uses_given(program, target)
        seedings = list(repeating(program.evaluator, code, uses, copied=True))
        seeds = _seeds(source, call, function, seedings)
        fresh = FreshSeeds(source, function, program, target)
        if isinstance(function, cst.Lambda) and _uses_existing(
            source,
            edits,
            program,
            function,
            target,
            [fresh.parts(each.decides, constants=False) for each in seeds],
        ):
            return
        seeds += _of_state_words(source, function, seeds, fresh)
        _drop_unused(source, edits, program, _reseed(source, edits, function, seeds, fresh))


def _function(source: Source, program: Program, call: cst.Call, function: Around) -> Function:
    """The program's own view of the function."""
    kinds = (ast.FunctionDef,) if isinstance(function, cst.FunctionDef) else (ast.Lambda,)
    trail = source.surroundings.trail(source, call, ast.Call)
    node = next(each for each in reversed(trail) if isinstance(each, (*kinds, ast.AsyncFunctionDef)))
    assert isinstance(node, ast.FunctionDef | ast.Lambda)
    frame = program.evaluator.sites.frame_of(
        source.surroundings.module(source), trail[: trail.index(node) + 1]
    )
    return Function(node, frame)


def _why_not_alone(program: Program, target: Function) -> str | None:
    """Why a function may be for main as well: what it gets in a worker is a seed by its name, or the program
    does something else with it; None where it is for workers alone."""
    name = _name_of(target)
    parameter = worker_parameter(program, target)
    if parameter is not None and _SAYS_SEED in parameter.lower():
        return f"{name} takes a seed, and may be for main as well"
    return None if is_for_workers_only(program, target) else f"{name} is not for workers alone"


def _name_of(target: Function) -> str:
    return getattr(target.node, "name", "the lambda")


# Another function


def _pass_another(source: Source, edits: Edits, program: Program, target: Function, why_not: str) -> None:
    """Have the loaders get a function that is for workers alone, and seeds them well."""
    passed = passed_at(program, target)
    replaced: list[cst.Name] = []
    if not passed or not seeds_only(program.evaluator, target):
        raise CannotRepair(f"{why_not}: pass a worker_init_fn that {_BY_HAND.replace('seed', 'seeds', 1)}")
    mine = source.surroundings.relative(source.path)
    for mention in passed:
        assert isinstance(mention.node, ast.expr)
        relative = mention.module.relative
        file = source if relative == mine else source.surroundings.open(relative)
        value = _node_at(file, mention.node, cst.Name, cst.Attribute)
        new = seeding_function(file, edits, value, OWN_SEED, mine)
        edits.elsewhere(file).replace(value, statements.expression(new), key="worker_init_fn")
        if file is source and isinstance(value, cst.Name):
            replaced.append(value)
    _drop_definitions(source, edits, program, replaced, alone=_name_of(target))


def _uses_existing(
    source: Source, edits: Edits, program: Program, function: cst.Lambda, target: Function, parts: list[Parts]
) -> bool:
    """Have the loader get the project's own function that seeds well, where it has one, in the place of a
    lambda that says no more than that."""
    given = source.parent(function)
    if (
        not isinstance(given, cst.Arg)
        or any(each.kept for each in parts)
        or not seeds_only(program.evaluator, target)
    ):
        return False
    found = existing_function(source, edits, program, function)
    if found is None:
        return False
    if found not in source.bound_names:
        edits.define(found)
    edits.replace(function, statements.expression(found), key="worker_init_fn")
    call = source.enclosing(given, cst.Call)
    if call is not None:
        join_row(source, edits, call)
    return True


# The function's own seeds


@dataclass(frozen=True)
class _Seed:
    """A seeding call, the library's that it leads to, the expression that decides the seed, and whether a
    new value goes there (else to the argument itself)."""

    call: cst.Call
    names: frozenset[str]
    argument: cst.BaseExpression
    decides: cst.BaseExpression
    at_source: bool

    @property
    def is_torch(self) -> bool:
        return self.names == {"torch.manual_seed"}

    @property
    def place(self) -> cst.BaseExpression:
        return self.decides if self.at_source else self.argument


def _seeds(source: Source, call: cst.Call, function: Around, seedings: list[Seeding]) -> list[_Seed]:
    """Every seeding call of the function whose numbers repeat."""
    found: dict[cst.Call, set[str]] = {}
    for seeding in seedings:
        here = _node_at(source, seeding.call, cst.Call)
        if not seeding.is_own and not _hands_on(seeding):
            raise CannotRepair(
                f"{ast.unparse(seeding.call.func)} does not seed with just what it is given: {_BY_HAND}"
            )
        found.setdefault(here, set()).add(seeding.event.name)
    if call not in found:  # only a certain call of the function repeats
        name = source.qualified(call.func)
        if name not in SEEDS:
            raise CannotRepair(_BY_HAND)
        found[call] = {name}
    calls = list(found)
    return [_seed(source, each, function, frozenset(found[each]), calls) for each in calls]


def _of_state_words(source: Source, function: Around, seeds: list[_Seed], fresh: FreshSeeds) -> list[_Seed]:
    """The function's other seeding calls of the same libraries whose numbers are words of the state and the
    worker's number alone: what torch gives stands for these, too."""
    known = frozenset(each.call for each in seeds)
    libraries = frozenset(name for each in seeds for name in each.names)
    found: list[_Seed] = []
    for call in source.descendants(function.body, cst.Call):
        name = source.qualified(call.func)
        if (
            call in known
            or name not in libraries
            or len(call.args) != 1
            or source.function_of(call) is not function
        ):
            continue
        seed = _seed(source, call, function, frozenset({name}), [*known, call])
        if _STATE in source.code(seed.decides) and not fresh.parts(seed.decides, constants=False).kept:
            found.append(seed)
    return found


def _drop_unused(source: Source, edits: Edits, program: Program, gone: list[cst.Name]) -> None:
    """Take away the functions, numbers and imports of the file that only the names in ``gone`` meant."""
    _drop_definitions(source, edits, program, gone)
    drop_unused_imports(source, edits, gone)


def _drop_definitions(
    source: Source, edits: Edits, program: Program, gone: list[cst.Name], *, alone: str | None = None
) -> None:
    """Take away the functions and numbers of the file (or the one ``alone``) that only ``gone`` meant."""
    here = source.surroundings.module(source)
    for statement in source.module.body:
        name = _defined(statement)
        if alone is not None and name != alone:
            continue
        inside = [statement, *gone]
        reads = list(mentions_in(source, source.module, name)) if name is not None else []
        if (
            name is not None
            and any(each.value == name for each in gone)
            and all(any(each is node or source.encloses(node, each) for node in inside) for each in reads)
            and not any(each.module is not here for each in mentions(program, name))
            and not re.search(rf"""['"]{name}['"]""", source.module.code)  # in __all__, for getattr
        ):
            edits.remove(statement)


def _defined(statement: cst.CSTNode) -> str | None:
    """The name of the plain function, or of the number, that a statement of the module defines."""
    if isinstance(statement, cst.FunctionDef) and not statement.decorators:
        return statement.name.value
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        match statement.body[0]:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Integer()):
                return name
    return None


def _node_at(source: Source, node: ast.expr, *types: type[cst.BaseExpression]) -> Any:
    """The expression of a file that is a node of the program's tree."""
    column = source.surroundings.module(source).column
    assert node.end_lineno is not None and node.end_col_offset is not None
    start = (node.lineno, column(node.lineno, node.col_offset) - 1)
    end = (node.end_lineno, column(node.end_lineno, node.end_col_offset) - 1)
    for each in source.descendants(source.module, *types):
        first, last = source.range(each)
        if [(source.line_in_file(line), at) for line, at in (first, last)] == [start, end]:
            return each
    raise CannotRepair(f"the code at this place is not of a shape that dlint can edit: {_BY_HAND}")


def _hands_on(seeding: Seeding) -> bool:
    """Whether what the worker_init_fn calls seeds with its argument as it is."""
    inner = seeding.event.node
    call = seeding.call
    frame = seeding.event.point.frame
    above = seeding.event.link.above
    if not isinstance(inner, ast.Call) or not isinstance(frame.scope, ast.FunctionDef) or above is None:
        return False
    if above is not seeding.entry.link or len(call.args) + len(call.keywords) != 1:
        return False
    seed = given_in(inner)
    given = parameters(frame.scope)
    stores = [n for n in walk(frame.scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return (
        len(seed) == 1
        and isinstance(seed[0], ast.Name)
        and seed[0].id == (call.keywords[0].arg if call.keywords else given[0].arg if given else None)
        and not any(each.id == seed[0].id for each in stores)
    )


def _seed(
    source: Source, call: cst.Call, function: Around, names: frozenset[str], calls: list[cst.Call]
) -> _Seed:
    arguments = [arg for arg in call.args if not arg.star]
    if len(call.args) != 1 or not arguments:
        raise CannotRepair(_BY_HAND)
    argument = arguments[0].value
    if isinstance(argument, cst.Name) and isinstance(function, cst.FunctionDef):
        assigned = only_value(source, function, argument.value)
        if assigned is not None:
            reads = [
                each
                for each in mentions_in(source, function.body, argument.value)
                if not source.encloses(assigned, each)
            ]
            alone = all(_only_seeds_or_tells(source, each, calls) for each in reads)
            return _Seed(call, names, argument, assigned.value, alone)
    return _Seed(call, names, argument, argument, True)


def _only_seeds_or_tells(source: Source, name: cst.Name, calls: list[cst.Call]) -> bool:
    """Whether a local is read to seed something, or to be printed."""
    call: cst.Call | None = source.enclosing(name, cst.Call)
    if call is None:
        return False
    text = source.code(call.func).lower()
    return call in calls or "seed" in text or text == "print" or text.startswith("logg")


def _reseed(
    source: Source, edits: Edits, function: Around, seeds: list[_Seed], fresh: FreshSeeds
) -> list[cst.Name]:
    """Write the new seeds. Gives the names that they leave out."""
    constants = len({source.code(each.decides) for each in seeds}) > 1
    parts = {each.call: fresh.parts(each.decides, constants=constants) for each in seeds}
    removed = [each for each in seeds if each.is_torch and fresh.is_torchs_own(parts[each.call])]
    kept = [each for each in seeds if each not in removed]
    gone: list[cst.CSTNode] = []
    if removed:
        _check_removable(source, function, removed)
        for each in removed:
            statement = source.parent(each.call)
            assert isinstance(statement, cst.Expr)
            statements.remove_statement(source, edits, statement)
            gone.append(statement)
    torch = torch_name(source, edits) if kept else ""
    texts: dict[cst.BaseExpression, str] = {}
    for each in kept:
        below = min((seeds_below(name) for name in each.names), default="2**32")
        text = fresh.text(parts[each.call], torch, below)
        texts[each.place] = min(text, texts.get(each.place, text))  # 2**31 where one library takes no more
    for place, text in texts.items():
        if source.code(place) != text:
            edits.replace(place, statements.expression(text), key=("seed", text))
            gone.append(place)
    said = set(re.findall(r"\w+", " ".join(texts.values())))
    if isinstance(function, cst.FunctionDef):
        fold_twins(source, edits, function, texts)
        drop_unused_locals(source, edits, function, gone, said)
        if kept:
            _retell(source, edits, function, lambda text: fresh.retold(text, parts[kept[0].call], torch))
    names = (name for node in gone for name in [node, *source.descendants(node, cst.Name)])
    return [name for name in names if isinstance(name, cst.Name) and name.value not in said]


def _check_removable(source: Source, function: Around, removed: list[_Seed]) -> None:
    """Refuse where seeding torch is all that the function is for, or is what it gives."""
    if not isinstance(function, cst.FunctionDef) or any(
        not isinstance(source.parent(each.call), cst.Expr) for each in removed
    ):
        raise CannotRepair(_LEAVE_OUT)
    calls = {each.call for each in removed}
    body = function.body.body
    others = [
        line
        for line in body
        if not (isinstance(line, cst.SimpleStatementLine) and _is_nothing_else(line, calls))
    ]
    if not others:
        raise CannotRepair(_LEAVE_OUT)


def _is_nothing_else(line: cst.SimpleStatementLine, calls: set[cst.Call]) -> bool:
    """Whether a line is one of the calls, a docstring, or the seed that they are given."""
    return all(
        isinstance(small, cst.Assign | cst.Pass)
        or (
            isinstance(small, cst.Expr)
            and (small.value in calls or isinstance(small.value, cst.SimpleString))
        )
        for small in line.body
    )


def _retell(source: Source, edits: Edits, function: cst.FunctionDef, told: Callable[[str], str]) -> None:
    """Have comments and the docstring tell the new seed where they tell the old one."""
    for comment in source.descendants(function, cst.Comment):
        new = told(comment.value)
        if new != comment.value:
            edits.drop_comment(comment)
            edits.replace(comment, cst.Comment(new), key="retold")
    first = function.body.body[0] if function.body.body else None
    small = first.body[0] if isinstance(first, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString):
        new = told(small.value.value)
        if new != small.value.value:
            edits.replace(small.value, cst.SimpleString(new), key="retold")
