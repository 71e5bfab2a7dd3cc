"""Makes a random generator in each worker, from the seed that torch gives the worker for the epoch.

What is no worker keeps the generator that it had, seed and all, and so do the copies that it makes, pickles
and saves. A seed that the user chose still counts in the workers: it is mixed into theirs.
"""

from __future__ import annotations

import ast
from dataclasses import replace

import libcst as cst

from dlint.changes.mentions import mentions
from dlint.changes.stores import Kin
from dlint.finding import Finding
from dlint.fork.sides import worker_functions
from dlint.knowledge.randomness import RESEEDS
from dlint.program.program import Program
from dlint.rewriting.each_process.attribute import (
    check_not_handed_on,
    check_property,
    declaration,
    is_free,
    kin_of,
    slot_of,
)
from dlint.rewriting.each_process.keepers.given import given_at, maker
from dlint.rewriting.each_process.keepers.in_class_body import (
    InBody,
    as_property_of_body,
    check_body,
    in_class_body,
    is_field,
)
from dlint.rewriting.each_process.keepers.of_module import as_function, function_for
from dlint.rewriting.each_process.made import IsDefault, Made, StaysShared, given, made_at
from dlint.rewriting.each_process.moved.kept_arguments import imports_for, is_parameter, kept_arguments
from dlint.rewriting.each_process.per_process import (
    PerProcess,
    as_property,
    entered,
    kept_under,
)
from dlint.rewriting.each_process.states import leave_out
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.seeding.seeds import Seeded, drawn, made_with, seeded
from dlint.rewriting.source import Source
from dlint.source.statements import functions_in

_NO_METHODS = frozenset({"bit_generator", "device"})
_BY_HAND = "make it anew in each worker, from torch.initial_seed() in worker_init_fn"
_BY_DEFAULT = "write the default None, and take the worker's generator inside"
_APART = "the generator is seeded apart: mix that seed into the worker's"
_WHY = "A copied generator would give all workers the same numbers."


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the generator that the finding points at into one per process."""
    try:
        _repair(source, finding, edits)
    except IsDefault as error:
        raise StaysShared(error.why, _BY_DEFAULT) from error
    except StaysShared as error:
        # Of a handle, one for each process will do; a generator with the same seed would draw the same there.
        raise StaysShared(error.why, _BY_HAND) from error


def _repair(source: Source, finding: Finding, edits: Edits) -> None:
    body = in_class_body(source, finding)
    if body is not None:
        _of_body(source, edits, body)
        return
    try:
        made = made_at(source, finding)
    except StaysShared:
        if not _as_given(source, finding, edits):
            raise
        return
    old = seeded(source, made.value)
    if made.owner is None:
        try:
            function_for(source, made, by_worker=True)
        except CannotRepair:
            if not _as_given(source, finding, edits):
                raise
            return
    torch = name_for(source, edits, "torch", "torch")
    if made.owner is None:
        _module_level(source, edits, made, old, torch)
        return
    with source.surroundings.asking() as program:
        kin = kin_of(source, program, made.owner)
        declared = declaration(source, kin, made.owner, made.name)
        slots = not old.is_torch
        slot = slot_of(kin, made.owner, made.name) if slots else None
        anew = [] if old.is_torch else _made_anew(source, program, kin, made, old)
        stores = [each.statement for each in anew]
        check_property(
            source, kin, made.name, made.statement, stores, declared=declared, may_have_slots=slots, slot=slot
        )
        for each in (made, *anew):
            check_not_handed_on(source, each)
            _check_methods(source, each)
        _check_names(kin, made)
        imports = imports_for(source, made)
        kept = kept_under(made.name, by_worker=True)
        if not is_free(kin, kept):
            raise CannotRepair(f"the name {kept} is in use: make it in each worker")
        if old.is_torch:
            _torch_attribute(source, edits, program, kin, made, old, torch, imports, declared)
            return
        worker = f"{torch}.initial_seed()"
        lines: tuple[str, ...]
        if old.constant is not None and not anew and not _seeded_again(program, kin, made):
            lines = (
                *imports,
                f"seed = {old.mixed(source, worker, old.constant)}",
            )
        else:
            lines = (*imports, "inherited = {held}[None]", f"seed = {old.drawn(worker)}")
        how = PerProcess(_WHY, old.made_with("seed"), lines, torch=torch)
        as_property(source, edits, made, how, declared=declared)
        for each in anew:
            entry = f"{{None: {source.code(each.value)}}}"
            text = entered(source, each.statement, f"self.{kept}", entry)
            edits.replace(each.statement, statements.small(text))
        if slot is not None:
            edits.replace(slot, cst.SimpleString(f"{slot.quote}{kept}{slot.quote}"))


def _made_anew(source: Source, program: Program, kin: Kin, made: Made, old: Seeded) -> list[Made]:
    """Where other methods, which no worker runs, make the generator anew of what they are given, as
    ``set_epoch(epoch)`` does. One that is given nothing may well be meant to give the same numbers again."""
    assert made.owner is not None
    workers = worker_functions(program)
    found: list[Made] = []
    for method in made.owner.body.body:
        if not isinstance(method, cst.FunctionDef) or method is made.method:
            continue
        nodes = [each for each in functions_in(kin.cls.node.body) if each.name == method.name.value]
        given = {each.name.value for each in method.params.params[1:]}
        for assign in source.descendants(method.body, cst.Assign):
            alone = len(assign.targets) == 1 and source.code(assign.targets[0].target) == f"self.{made.name}"
            value = assign.value
            if (
                alone
                and isinstance(value, cst.Call)
                and source.function_of(assign) is method
                and given & source.names_in(value)
                and not any(id(node) in workers for node in nodes)
                and seeded(source, value).kind == old.kind
            ):
                found.append(Made(assign, value, made.name, method, made.owner))
    return found


def _as_given(source: Source, finding: Finding, edits: Edits) -> bool:
    """Repair the attribute that keeps a generator which is made elsewhere, if there is one."""
    with source.surroundings.asking() as program:
        kept = given_at(source, program, finding)
        if kept is None:
            return False
        there = edits.elsewhere(kept.source)
        made = given(kept.source, kept.statement, maker(kept.source, there, kept.kind))
        if made is None or made.owner is None:
            return False
        torch = name_for(kept.source, there, "torch", "torch")
        kin = kin_of(kept.source, program, made.owner)
        declared = declaration(kept.source, kin, made.owner, made.name)
        check_property(kept.source, kin, made.name, made.statement, declared=declared, may_have_slots=True)
        check_not_handed_on(kept.source, made)
        _check_names(kin, made)
        _check_methods(kept.source, made)
        if not is_free(kin, kept_under(made.name, by_worker=True)):
            raise CannotRepair(f"the name {kept_under(made.name, by_worker=True)} is in use")
        lines = ("inherited = {held}[None]", f"seed = {drawn(kept.kind, f'{torch}.initial_seed()')}")
        how = PerProcess(_WHY, made_with(made.value, "seed"), lines, torch=torch)
        as_property(kept.source, there, made, how, declared=declared)
    return True


def _of_body(source: Source, edits: Edits, body: InBody) -> None:
    """A generator that the body of a class makes."""
    old = seeded(source, body.value)
    torch = name_for(source, edits, "torch", "torch")
    with source.surroundings.asking() as program:
        kin = kin_of(source, program, body.owner)
        check_body(source, program, kin, body)
        if old.is_torch and old.constant is None:
            raise CannotRepair(_APART)
        if old.is_torch and is_field(kin, body):
            raise CannotRepair("spawned workers cannot be sent it: make it in each worker")
        as_property_of_body(source, edits, kin, body, _for_worker(source, old, torch))


def _torch_attribute(
    source: Source,
    edits: Edits,
    program: Program,
    kin: Kin,
    made: Made,
    old: Seeded,
    torch: str,
    imports: tuple[str, ...],
    declared: cst.AnnAssign | None,
) -> None:
    """A ``torch.Generator`` cannot go to spawned workers: it is left out of what they are sent, and its seed
    is kept."""
    assert made.owner is not None and made.method is not None
    setup: list[cst.BaseSmallStatement] = []
    seed = old.constant
    own = list(_own_seeding(source, made))
    if _seeded_again(program, kin, made) or len(own) > 1 or (own and old.seed is not None):
        raise CannotRepair("the generator is seeded again elsewhere: mix that seed into the worker's")
    if own:
        seed, setup = _apart(source, kin, made, own[0])
    elif old.seed is not None and seed is None:
        args, setup = kept_arguments(source, kin, made, "seed")
        seed = source.code(args[0].value)
    mixed = old.mixed(source, f"{torch}.initial_seed()", seed or str(_place(source, made)))
    kept = kept_under(made.name, by_worker=True)
    more = leave_out(source, edits, kin, made.owner, made.name, kept, only_to_workers=True)
    how = PerProcess(_WHY, old.made_with("seed"), (*imports, f"seed = {mixed}"), torch=torch)
    as_property(source, edits, made, how, setup=setup, more=more, declared=declared)


def _apart(source: Source, kin: Kin, made: Made, call: cst.Call) -> tuple[str, list[cst.BaseSmallStatement]]:
    """The seed that the method gives the generator after it has made it, and statements that keep it."""
    args, setup = kept_arguments(source, kin, replace(made, value=call), "seed")
    given = call.args[0].value if len(call.args) == 1 else None
    if setup and not (isinstance(given, cst.Name) and is_parameter(source, made, given.value)):
        raise CannotRepair(_APART)
    if not isinstance(given, cst.Integer) and _is_on_condition(source, made, call):
        # There may be no seed, as in ``if seed is not None:``, and the hash of None is an address before
        # Python 3.12: another number in each run.
        raise CannotRepair(_APART)
    return source.code(args[0].value), setup


def _is_on_condition(source: Source, made: Made, call: cst.Call) -> bool:
    """Whether a call may be passed over where the generator was made."""
    block = source.parent(source.line_of(made.statement))
    if source.enclosing(call, cst.IfExp, cst.BooleanOperation) is not None:
        return True
    return source.parent(source.line_of(call)) is not block


def _check_names(kin: Kin, made: Made) -> None:
    """Refuse where a class goes through what its object holds and knows the generator there by its name."""
    functions = [
        (cls, list(ast.walk(function)))
        for cls in kin.classes
        for function in functions_in(cls.node.body)
        if function.name not in ("__getstate__", "__setstate__")
    ]
    asks = next((cls for cls, nodes in functions if any(map(_is_dict_of_object, nodes))), None)
    knows = any(isinstance(n, ast.Constant) and n.value == made.name for _, nodes in functions for n in nodes)
    if asks is not None and knows:
        raise CannotRepair(
            f"the class {asks.name} goes through the object's __dict__, where {made.name} would no longer "
            "be: make it anew in the workers, in worker_init_fn"
        )


def _check_methods(source: Source, made: Made) -> None:
    """Refuse where the method that makes a generator keeps, or hands on, a method of it."""
    assert made.method is not None
    for each in source.descendants(made.method.body, cst.Attribute):
        kept = isinstance(source.parent(each), cst.Assign | cst.AnnAssign | cst.Arg)
        if kept and source.code(each.value) == f"self.{made.name}" and each.attr.value not in _NO_METHODS:
            raise CannotRepair(
                f"{source.code(each)} is kept where it is made: call it on self.{made.name} where it is used"
            )


def _is_dict_of_object(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name(id="vars")):
            return True
    return False


def _own_seeding(source: Source, made: Made) -> list[cst.Call]:
    """The calls of ``self.g.manual_seed(...)`` in the method that makes the generator."""
    assert made.method is not None
    wanted = f"self.{made.name}.manual_seed"
    calls = source.descendants(made.method.body, cst.Call)
    return [call for call in calls if source.code(call.func) == wanted]


def _place(source: Source, made: Made) -> int:
    """A number that tells a generator without a seed from the others of its class."""
    assert made.owner is not None
    calls = [
        call
        for call in source.descendants(made.owner.body, cst.Call)
        if source.qualified(call.func) == "torch.Generator"
        and not isinstance(source.parent(call), cst.Attribute)
    ]
    return 1 + next((at for at, call in enumerate(calls) if call is made.value), 0)


def _seeded_again(program: Program, kin: Kin, made: Made) -> bool:
    """Whether code outside the method that makes the generator seeds it again, or sets its state."""
    method = made.method.name.value if made.method is not None else ""
    for mention in mentions(program, made.name):
        match mention.trail[-3:]:
            case [ast.Call(), ast.Attribute(attr=attr), ast.Attribute() as held] if attr in RESEEDS:
                inside = any(
                    isinstance(node, ast.FunctionDef) and node.name == method for node in mention.trail
                )
                if not inside and kin.may_be(held.value, mention.module, mention.trail):
                    return True
    return False


def _module_level(source: Source, edits: Edits, made: Made, old: Seeded, torch: str) -> None:
    """A generator of a module, which what is no worker keeps, and each worker makes its own."""
    if old.is_torch and old.constant is None:
        raise CannotRepair(_APART)
    as_function(source, edits, made, _for_worker(source, old, torch))


def _for_worker(source: Source, old: Seeded, torch: str) -> PerProcess:
    """How each worker makes a generator of its own."""
    worker = f"{torch}.initial_seed()"
    if old.constant is not None:
        lines: tuple[str, ...] = (f"seed = {old.mixed(source, worker, old.constant)}",)
    else:
        lines = ("inherited = {held}[None]", f"seed = {old.drawn(worker)}")
    return PerProcess(_WHY, old.made_with("seed"), lines, torch=torch)
