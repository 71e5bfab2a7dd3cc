"""What is said of a handle that workers share, or cannot be sent: what happens, and what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.fork.early.when import When
from dlint.fork.held_handles import Held
from dlint.fork.kept.by_key import KeptByKey
from dlint.knowledge.processes.handles import Handle
from dlint.objects.pickled_state import is_pickled
from dlint.program.asked import for_events, for_held, for_made, for_visit
from dlint.program.conditions import NOT_FORKED, any_loaded, both, start_by_default
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import place
from dlint.values.values import Class, Instance, Made
from dlint.workers.events import Event, Visit
from dlint.workers.uses import WorkerUse

# What to do where a handle for each process is not all.
_BY_HAND = {
    "among others": "open them in each process, keyed on os.getpid(), and leave them out of __getstate__",
    "among others, once": "open them in each process, keyed on os.getpid(), after closing the inherited "
    "ones, and leave them out of __getstate__",
    "a part of it": "open the file in each process, keyed on os.getpid(), and take its parts there",
    "read through": "open the file, and make what reads it, where the worker begins to read",
}


def of_attribute(
    program: Program,
    uses: list[WorkerUse],
    handle: Handle,
    made: Made,
    visit: Visit,
    read: ast.AST,
    start: str | None,
    sent: bool,
    attribute: tuple[Class, str],
    when: When,
    hangs: str | None = None,
) -> Iterator[Found]:
    """The finding about a handle in an attribute of an object; none where it does no harm there."""
    forked = handle.forked if start in (None, "fork") else ""
    cls, name = attribute
    pickled = start != "fork" and sent and not handle.sent and is_pickled(program.evaluator, cls, name)
    if not isinstance(made.node, ast.expr) or not (forked or pickled):
        return
    lost = "workers are sent its number alone" if handle.number else "pickle cannot send it to workers"
    happens = f"forked workers share it and {forked}" if forked else lost
    open_start = None if forked or start is not None else NOT_FORKED
    module = made.point.frame.module if read is made.node else visit.function.module
    found = Found(
        made.point.frame.module,
        made.node,
        f"{cls.name}.{name} is {handle.name} opened {when.how}: {happens}",
        handle.effect if forked else "error",
        f"{handle.advice}{other_place(when)}",
        both(
            any_loaded(program, uses),
            hangs or for_made(program, made),
            for_visit(program, visit, read),
            open_start,
        ),
        visit.link.steps(_read_as(read, name), module, read),
        Remedy(
            "handle_per_process",
            "unsafe",
            "Open it in each process and leave it out of pickles",
            {"attribute": name, "class": cls.name, "once": bool(handle.once)},
        ),
    )
    yield found._replace(remedy=None, by_hand=handle.cure) if handle.cure else found


def as_held(
    program: Program, owner: Instance, found: Iterator[Found], handle: Handle, there: Held
) -> Iterator[Found]:
    """The findings, where their object holds the handle at all; with what to do by hand where none holds it
    alone."""
    for each in found:
        each = each._replace(condition=both(each.condition, for_held(program, owner, there)))
        if there.how in ("among others", "read through"):
            each = as_one_of_several(each, handle)
        if there.how == "a part of it" and each.remedy is not None and _has_parts(handle):
            data = {**each.remedy.data, "parts": True}
            yield each._replace(remedy=each.remedy._replace(data=data))
            continue
        if there.how == "among others" and each.remedy is not None and not handle.once and not handle.cure:
            yield each._replace(remedy=each.remedy._replace(data={**each.remedy.data, "kind": "several"}))
            continue
        yield (
            each if there.how == "alone" else each._replace(remedy=None, by_hand=_by_hand(handle, there.how))
        )


def as_one_of_several(found: Found, handle: Handle) -> Found:
    """The finding about a handle in a list or dict, or behind what reads it."""
    return found._replace(what=found.what.replace(f" is {handle.name} ", f" holds {handle.name} ", 1))


def _has_parts(handle: Handle) -> bool:
    """Whether a kept part of a handle may be taken anew in each process: what is under a key, or a cursor."""
    return "[]" in handle.parts or handle.parts == ("cursor",)


def _by_hand(handle: Handle, how: str) -> str:
    """What to do with a handle that no object holds alone: what is to be done with any of its kind, where a
    handle for each process is not enough."""
    if handle.cure:
        return handle.cure
    if how == "read through":
        return _BY_HAND[how]
    if how == "a part of it":
        return f"{_BY_HAND[how]}; close the inherited one first" if handle.once else _BY_HAND[how]
    return _BY_HAND["among others, once" if handle.once else "among others"]


def opened_before(
    program: Program, use: WorkerUse, event: Event, made: Made, handle: Handle, what: str, by_hand: str
) -> Found:
    """The finding about a handle that no object of the dataset's class keeps."""
    start = start_by_default(program, use)
    forked = handle.forked if start in (None, "fork") else ""
    happens = f"forked workers share it and {forked}" if forked else "pickle cannot send it to workers"
    assert isinstance(made.node, ast.expr)
    return Found(
        made.point.frame.module,
        made.node,
        f"{what} {handle.name} opened before the workers start: {happens}",
        handle.effect if forked else "error",
        handle.advice,
        both(
            any_loaded(program, [use]),
            for_made(program, made),
            for_events(program, use.code, event),
            None if forked or start is not None else NOT_FORKED,
        ),
        event.reach(),
        by_hand=handle.cure or by_hand,
    )


def kept_by_hand(handle: Handle, kept: KeptByKey) -> str:
    """What to do by hand with a handle that is opened when it is first asked for."""
    if kept.alone:
        return handle.cure or handle.advice
    # What a module keeps is not sent to workers with the dataset.
    return _by_hand(handle, "among others") if kept.own else handle.advice


def other_place(when: When) -> str:
    """The place that a message names beside that of the handle."""
    return f" ({when.what} {place(*when.at)})" if when.at is not None else ""


def _read_as(node: ast.AST, name: str) -> str:
    """How a handle is called where it is read."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return ast.unparse(node.func)
    return f"self.{name}"
