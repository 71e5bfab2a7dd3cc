"""Handles in attributes of objects that workers have: held once these are made, put there by others, or
opened when they are first needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.fork.early.opened_late import Opened, bound_names, opened_in, path_of
from dlint.fork.early.per_process import is_for_one_process
from dlint.fork.early.reset import is_met_after_fork, is_reset_in_workers, resetting
from dlint.fork.early.unread import is_read_early, unread_image
from dlint.fork.early.when import BEFORE, BY_CONSTRUCTOR, When, needed_besides, needed_early
from dlint.fork.handles import handle_of, read_as_npz
from dlint.fork.held_handles import (
    held,
    is_released,
    keeps_part,
    keeps_what_is_there,
    only_by_number,
    read_on,
)
from dlint.fork.set_elsewhere import left_as_made
from dlint.fork.sides import renewed
from dlint.program.asked import for_holder
from dlint.program.conditions import both, start_by_default
from dlint.program.handles.closed_by_others import is_closed_by_others
from dlint.program.handles.events import events_of_handles, part_read, read_elsewhere
from dlint.program.handles.opened_beside import opened_beside
from dlint.program.handles.opened_by_others import opened_by_others
from dlint.program.program import Program
from dlint.rules.handles.said import as_held, as_one_of_several, of_attribute
from dlint.rules.rule import Found
from dlint.source.desugaring.records import is_record
from dlint.source.statements import functions_in, own_names, parameters
from dlint.values.methods import is_cached_beside
from dlint.values.values import Instance, Made
from dlint.workers.events import Visit
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

_IS_NPZ = "the file is an .npz"
_LEFT_OUT = "leave it out in __getstate__, also in those of classes derived from it"


def kept_open(
    program: Program,
    uses: list[WorkerUse],
    owner: Instance,
    visits: list[Visit],
    start: str | None,
    sent: bool,
) -> Iterator[Found]:
    """Handles that an object holds once it is made."""
    reads = [(visit, _reads(visit)) for visit in visits]
    names = {name for _, read in reads for name in read}
    for there in held(program, owner, names):
        name, value, how, _ = there
        handle, sure = handle_of(program.evaluator, value), True
        if handle is None and how == "alone":
            handle, sure = read_as_npz(program.evaluator, value, owner, name) or (None, True)
        unread = unread_image(program, owner, name, value) if handle is None else None
        handle = handle or unread
        if handle is None:
            continue
        assert isinstance(value, Made)
        kept = [
            use
            for use in left_as_made(program, uses, owner, name)
            if not _is_renewed(program, use, owner, name, value)
        ]
        if unread is not None:
            kept = [use for use in kept if not is_read_early(program, use, owner, visits)]
        if not any(start_by_default(program, use) == start for use in kept):
            continue
        binding = [visit for visit in visits if path_of(visit, name) in visit.frame.layout.binds]
        if not all(keeps_what_is_there(visit, name) for visit in binding):
            continue
        own = bool(binding) and is_for_one_process(visits)
        if own and start in (None, "fork"):
            continue
        if binding:
            kept = [use for use in kept if not is_closed_by_others(program, use, owner, name)]
            if not kept:
                continue
        # What forked workers share under a key is another matter: see elsewhere.
        by_key = how == "under a key"
        if handle.forked and (by_key or only_by_number(visits, name) or is_released(value, name)):
            handle = handle._replace(forked="")
        if handle.number and read_on(visits, name):
            handle = handle._replace(forked="read wrong data")
        for visit, read in reads:
            if name in read:
                attribute = (owner.cls, name)
                when = BY_CONSTRUCTOR if binding else BEFORE
                hangs = for_holder(program, uses[0], owner)
                found = of_attribute(
                    program, kept, handle, value, visit, read[name], start, sent, attribute, when, hangs
                )
                if how == "alone" and keeps_part(program, owner, value):
                    # A handle for each process would leave the part as it is.
                    there = there._replace(how="a part of it")
                for each in as_held(program, owner, found, handle, there):
                    if own:  # it is sent to those that are not forked, all the same
                        each = each._replace(cure=_LEFT_OUT, remedy=None, by_hand=_LEFT_OUT)
                    yield each if sure else each._replace(condition=both(each.condition, _IS_NPZ))
                break


def _is_renewed(program: Program, use: WorkerUse, owner: Instance, name: str, made: Made) -> bool:
    """Whether the workers of a use get another handle under an attribute of an object where they start."""
    return renewed(program, use, made) or is_met_after_fork(program, use, made, owner.cls, {name})


def stored_open(
    program: Program, use: WorkerUse, owner: Instance, visits: list[Visit], sent: bool
) -> Iterator[Found]:
    """Handles that others put on an object once it is made, or have it open, before the loader of a use is
    there."""
    reads = [(visit, _reads(visit)) for visit in visits]
    reads += list(read_elsewhere(program, use))
    names = {name for _, read in reads for name in read} - bound_names(visits)
    for opened in opened_by_others(program, use, owner, names) if names else ():
        store = opened.store
        visit, read = next((visit, read[store.name]) for visit, read in reads if store.name in read)
        if is_met_after_fork(program, use, opened.made, owner.cls, {store.name}):
            continue
        start = start_by_default(program, use)
        when = BEFORE
        if opened.made.point.statement is not store.point.statement and store.point.statement is not None:
            when = When(BEFORE.how, (store.point.frame.module, store.by), "at")
        attribute = (owner.cls, store.name)
        for found in of_attribute(
            program, [use], opened.handle, opened.made, visit, read, start, sent, attribute, when
        ):
            found = found._replace(remedy=None, by_hand=opened.handle.advice)
            yield found if opened.alone else as_one_of_several(found, opened.handle)


def read_by_others(
    program: Program,
    uses: list[WorkerUse],
    owner: Instance,
    visits: list[Visit],
    code: WorkerCode,
    start: str | None,
    sent: bool,
) -> Iterator[Found]:
    """Handles that an object holds once it is made, and that other worker code reads (``self.shard.file``)
    and no method of the object."""
    seen = {name for visit in visits for name in _reads(visit)}
    for event, made, handle in events_of_handles(program, code):
        if made.point.statement is None or not isinstance(event.node, ast.Call):
            continue
        receiver = made.point.frame.receiver
        if isinstance(receiver, Instance) and receiver.key == owner.key:
            names = {path.partition(".")[2] for path in own_names(made.point.statement)} - seen
        else:  # it may have been given it open
            part = part_read(event.node, event.point.frame)
            names = ({part} if part else _fields_taken(event.node, owner)) - seen
        seen |= names
        for there in held(program, owner, names):
            kept = [
                use
                for use in left_as_made(program, uses, owner, there.name)
                if not _is_renewed(program, use, owner, there.name, made)
            ]
            if there.value.key != made.key or not any(
                start_by_default(program, use) == start for use in kept
            ):
                continue
            reader = next((each for each in code.visits if each.frame.key == event.point.frame.key), None)
            if reader is not None and not is_for_one_process([reader]):
                attribute = (owner.cls, there.name)
                found = of_attribute(
                    program, kept, handle, made, reader, event.node, start, sent, attribute, BEFORE
                )
                yield from as_held(program, owner, found, handle, there)


def _fields_taken(call: ast.Call, owner: Instance) -> set[str]:
    """The fields of a record of which a name may have one: ``file, at = self.shards[key]; file.read()``."""
    taken = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    if not taken or not is_record(owner.cls.node):
        return set()
    return {
        each.arg
        for function in functions_in(owner.cls.node.body)
        if function.name == "__init__"
        for each in parameters(function)[1:]
    }


def opened_late(
    program: Program, uses: list[WorkerUse], owner: Instance, visits: list[Visit], sent: bool
) -> Iterator[Found]:
    """Handles opened when first needed, where the parent needs them before the workers start."""
    if is_for_one_process(visits):
        return
    opened = list(opened_in(program, owner, visits))
    read = {name: (visit, node) for visit in reversed(visits) for name, node in _reads(visit).items()}
    beside = list(opened_beside(program, owner, visits, read))
    for use in uses if opened or beside else ():
        found: set[str] = set()
        for each in opened:
            when = needed_early(program, use, owner, each, _resets(program, use, owner, each))
            if when is not None:
                found.add(each.name)
                yield from _found_late(program, use, owner, each, when, each.made.node, sent)
        for each in beside:
            if each.name in found:
                continue
            when = needed_besides(program, use, owner, each, _resets(program, use, owner, each))
            if when is not None:
                yield from _found_late(program, use, owner, each, when, read[each.name][1], sent)


def _resets(program: Program, use: WorkerUse, owner: Instance, opened: Opened) -> frozenset[str]:
    return resetting(program, use, owner.cls, {opened.name})


def _found_late(
    program: Program,
    use: WorkerUse,
    owner: Instance,
    opened: Opened,
    when: When,
    read: ast.AST,
    sent: bool,
) -> Iterator[Found]:
    """What to say of a handle that the parent has opened when it needed it first."""
    handle, made, attribute = opened.handle, opened.made, (owner.cls, opened.name)
    # Letting go of one whose threads are not there hangs as well.
    if is_met_after_fork(program, use, made, owner.cls, {opened.name}) or (
        handle.effect != "hang" and is_reset_in_workers(program, use, owner, opened.name)
    ):
        handle = handle._replace(forked="")
    start = start_by_default(program, use)
    taken_along = sent and not is_cached_beside(opened.visit.function.node)
    yield from of_attribute(
        program, [use], handle, made, opened.visit, read, start, taken_along, attribute, when
    )


def _reads(visit: Visit) -> dict[str, ast.AST]:
    """The attributes of its object that a method reads, each with the first place where it does; what a
    lambda in it reads, the method reads."""
    return visit.frame.layout.reads.get(path_of(visit, "")[:-1], {})
